// Declarations of the part of the LibTorch C++ API that training programs use, written for forerun:
// names, parameter names and types as its documentation gives them, no bodies. The analyzer reads
// C++ against these where LibTorch is not installed, and its tests do so where they must be fast.
// They cannot be compiled into a program.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

// Modules take tensors, optimizers take modules: the order matters.
// clang-format off
#include "forerun/core.h"
#include "forerun/tensor.h"
#include "forerun/functions.h"
#include "forerun/modules.h"
#include "forerun/functional.h"
#include "forerun/optim.h"
#include "forerun/data.h"
#include "forerun/runtime.h"
// clang-format on
