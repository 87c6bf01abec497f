#pragma once
#include <torch/forerun_declarations.h>
