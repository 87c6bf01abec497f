// Declarations of the part of the LibTorch C++ API that training programs use, written for forerun: names, parameter
// names and types as its documentation gives them, no bodies. The analyzer reads C++ against these where LibTorch is
// not installed, and its tests do so where they must be fast. They cannot be compiled into a program.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forerun/core.h"
#include "forerun/tensor.h"
// The order matters: modules take tensors, optimizers take modules.
#include "forerun/functions.h"
#include "forerun/modules.h"
#include "forerun/functional.h"
#include "forerun/optim.h"
#include "forerun/data.h"
#include "forerun/runtime.h"
