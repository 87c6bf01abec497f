// Sizes of workspaces, reserve spaces and states that only cuDNN itself knows: zero, each named in
// the report.
#include <cudnn.h>

#include "verifier/emulator/device/report.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define UNKNOWN(text, bytes)           \
  do {                                 \
    static EmuEntry entry = {text, 0}; \
    emu_unknown_size(&entry);          \
    if ((bytes) != NULL) *(bytes) = 0; \
  } while (0)

cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t* bytes) {
  (void)handle;
  UNKNOWN("cuDNN dropout states", bytes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t operations,
    const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t z,
    const cudnnTensorDescriptor_t y, const cudnnTensorDescriptor_t statistics,
    const cudnnActivationDescriptor_t activation, size_t* bytes) {
  (void)handle, (void)mode, (void)operations, (void)x, (void)z, (void)y, (void)statistics,
      (void)activation;
  UNKNOWN("cuDNN batch norm forward workspace", bytes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t operations,
    const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y,
    const cudnnTensorDescriptor_t dy, const cudnnTensorDescriptor_t dz,
    const cudnnTensorDescriptor_t dx, const cudnnTensorDescriptor_t statistics,
    const cudnnActivationDescriptor_t activation, size_t* bytes) {
  (void)handle, (void)mode, (void)operations, (void)x, (void)y, (void)dy, (void)dz, (void)dx,
      (void)statistics;
  (void)activation;
  UNKNOWN("cuDNN batch norm backward workspace", bytes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t operations,
    const cudnnActivationDescriptor_t activation, const cudnnTensorDescriptor_t x, size_t* bytes) {
  (void)handle, (void)mode, (void)operations, (void)activation, (void)x;
  UNKNOWN("cuDNN batch norm reserve space", bytes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t handle,
                                           const cudnnTensorDescriptor_t probabilities,
                                           const cudnnTensorDescriptor_t gradients,
                                           const int* labels, const int* label_lengths,
                                           const int* input_lengths, cudnnCTCLossAlgo_t algorithm,
                                           cudnnCTCLossDescriptor_t loss, size_t* bytes) {
  (void)handle, (void)probabilities, (void)gradients, (void)labels, (void)label_lengths,
      (void)input_lengths;
  (void)algorithm, (void)loss;
  UNKNOWN("cuDNN CTC loss workspace", bytes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t algorithm,
                                              cudnnCTCLossDescriptor_t loss,
                                              const cudnnTensorDescriptor_t probabilities,
                                              const cudnnTensorDescriptor_t gradients,
                                              size_t* bytes) {
  (void)handle, (void)algorithm, (void)loss, (void)probabilities, (void)gradients;
  UNKNOWN("cuDNN CTC loss workspace", bytes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x,
                                        size_t* workspace, size_t* reserve) {
  (void)handle, (void)rnn, (void)mode, (void)x;
  UNKNOWN("cuDNN RNN workspace", workspace);
  UNKNOWN("cuDNN RNN reserve space", reserve);
  return CUDNN_STATUS_SUCCESS;
}
