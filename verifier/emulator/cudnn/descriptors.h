// Descriptors that files of the emulated cuDNN look into.
#pragma once

#include <cudnn.h>

struct cudnnTensorStruct {
  cudnnDataType_t type;
  int dimensions;
  int sizes[CUDNN_DIM_MAX], strides[CUDNN_DIM_MAX];
};

struct cudnnFilterStruct {
  cudnnDataType_t type;
  cudnnTensorFormat_t format;
  int dimensions;
  int sizes[CUDNN_DIM_MAX];
};
