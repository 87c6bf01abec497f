// Legacy descriptors. Those PyTorch asks back (tensors, filters) keep what they are told, the
// others are identities.
#include "verifier/emulator/cudnn/descriptors.h"

#include <stdlib.h>

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) {
  *descriptor = calloc(1, sizeof **descriptor);
  return *descriptor != NULL ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) {
  free(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type,
                                         int dimensions, const int sizes[], const int strides[]) {
  if (dimensions < 1 || dimensions > CUDNN_DIM_MAX) return CUDNN_STATUS_BAD_PARAM;
  descriptor->type = type;
  descriptor->dimensions = dimensions;
  for (int i = 0; i < dimensions; ++i) {
    descriptor->sizes[i] = sizes[i];
    descriptor->strides[i] = strides[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t descriptor, int requested,
                                         cudnnDataType_t* type, int* dimensions, int sizes[],
                                         int strides[]) {
  *type = descriptor->type;
  *dimensions = descriptor->dimensions;
  for (int i = 0; i < requested && i < descriptor->dimensions; ++i) {
    sizes[i] = descriptor->sizes[i];
    strides[i] = descriptor->strides[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* descriptor) {
  *descriptor = calloc(1, sizeof **descriptor);
  return *descriptor != NULL ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t descriptor) {
  free(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int dimensions,
                                         const int sizes[]) {
  if (dimensions < 1 || dimensions > CUDNN_DIM_MAX) return CUDNN_STATUS_BAD_PARAM;
  descriptor->type = type;
  descriptor->format = format;
  descriptor->dimensions = dimensions;
  for (int i = 0; i < dimensions; ++i) descriptor->sizes[i] = sizes[i];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t descriptor, int requested,
                                         cudnnDataType_t* type, cudnnTensorFormat_t* format,
                                         int* dimensions, int sizes[]) {
  *type = descriptor->type;
  *format = descriptor->format;
  *dimensions = descriptor->dimensions;
  for (int i = 0; i < requested && i < descriptor->dimensions; ++i) sizes[i] = descriptor->sizes[i];
  return CUDNN_STATUS_SUCCESS;
}

#define IDENTITY(create, destroy, type)                                            \
  cudnnStatus_t create(type* descriptor) {                                         \
    *descriptor = calloc(1, 16);                                                   \
    return *descriptor != NULL ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED; \
  }                                                                                \
  cudnnStatus_t destroy(type descriptor) {                                         \
    free(descriptor);                                                              \
    return CUDNN_STATUS_SUCCESS;                                                   \
  }
IDENTITY(cudnnCreateActivationDescriptor, cudnnDestroyActivationDescriptor,
         cudnnActivationDescriptor_t)
IDENTITY(cudnnCreateCTCLossDescriptor, cudnnDestroyCTCLossDescriptor, cudnnCTCLossDescriptor_t)
IDENTITY(cudnnCreateDropoutDescriptor, cudnnDestroyDropoutDescriptor, cudnnDropoutDescriptor_t)
IDENTITY(cudnnCreatePoolingDescriptor, cudnnDestroyPoolingDescriptor, cudnnPoolingDescriptor_t)
IDENTITY(cudnnCreateRNNDataDescriptor, cudnnDestroyRNNDataDescriptor, cudnnRNNDataDescriptor_t)
IDENTITY(cudnnCreateSpatialTransformerDescriptor, cudnnDestroySpatialTransformerDescriptor,
         cudnnSpatialTransformerDescriptor_t)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
IDENTITY(cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor,
         cudnnConvolutionDescriptor_t)
#pragma GCC diagnostic pop
