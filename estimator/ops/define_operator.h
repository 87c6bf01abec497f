// For the sources of operators: defines one whose results are an expression of `run`, its inputs
// `in`, its own parameters `own` and its attributes `with`.
#pragma once

#include "estimator/ops/operator.h"

#define FORERUN_OPERATOR(symbol, name, ...)                                                       \
  const Operator symbol {                                                                         \
    name,                                                                                         \
        [](Runtime& run [[maybe_unused]], const Tensors& in, const Tensors& own [[maybe_unused]], \
           const Attributes& with [[maybe_unused]]) -> Tensors { return __VA_ARGS__; }            \
  }
