#pragma once
#include <torch/forerun/process_group.h>
