// Recurrent networks: where each weight lies in the weight space, which PyTorch asks for and lays
// its parameters out by.
//
// Sizes by the formulas in cuDNN's documentation of cudnnSetRNNDescriptor_v8: each pseudo-layer
// (layer x direction) has one matrix for each linear layer of the cell on the input and one on the
// state, then biases. The matrices of all pseudo-layers come first, then the biases.
#include <cudnn.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/cudnn/descriptors.h"

struct cudnnRNNStruct {
  cudnnRNNMode_t mode;
  cudnnRNNBiasMode_t bias_mode;
  cudnnDirectionMode_t direction;
  cudnnDataType_t type;
  int64_t input, hidden, projection, layers;
};

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* descriptor) {
  *descriptor = calloc(1, sizeof **descriptor);
  return *descriptor != NULL ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t descriptor) {
  free(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t rnn, cudnnRNNAlgo_t algorithm,
                                       cudnnRNNMode_t mode, cudnnRNNBiasMode_t bias_mode,
                                       cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input_mode, cudnnDataType_t type,
                                       cudnnDataType_t precision, cudnnMathType_t math,
                                       int32_t input, int32_t hidden, int32_t projection,
                                       int32_t layers, cudnnDropoutDescriptor_t dropout,
                                       uint32_t flags) {
  (void)algorithm, (void)input_mode, (void)precision, (void)math, (void)dropout, (void)flags;
  *rnn =
      (struct cudnnRNNStruct){mode, bias_mode, direction, type, input, hidden, projection, layers};
  return CUDNN_STATUS_SUCCESS;
}

static int64_t gates(const struct cudnnRNNStruct* rnn) {
  return rnn->mode == CUDNN_LSTM ? 4 : rnn->mode == CUDNN_GRU ? 3 : 1;
}

static int64_t directions(const struct cudnnRNNStruct* rnn) {
  return rnn->direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
}

static int64_t bias_sets(const struct cudnnRNNStruct* rnn) {
  return rnn->bias_mode == CUDNN_RNN_NO_BIAS ? 0 : rnn->bias_mode == CUDNN_RNN_DOUBLE_BIAS ? 2 : 1;
}

static int64_t element_bytes(cudnnDataType_t type) {
  return type == CUDNN_DATA_DOUBLE                                ? 8
         : type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16 ? 2
                                                                  : 4;
}

static int has_projection(const struct cudnnRNNStruct* rnn) {
  return rnn->projection > 0 && rnn->projection != rnn->hidden;
}

static int64_t state_width(const struct cudnnRNNStruct* rnn) {
  return has_projection(rnn) ? rnn->projection : rnn->hidden;
}

static int64_t input_width(const struct cudnnRNNStruct* rnn, int64_t pseudo_layer) {
  return pseudo_layer < directions(rnn) ? rnn->input : state_width(rnn) * directions(rnn);
}

// Elements of all matrices of one pseudo-layer.
static int64_t matrix_elements(const struct cudnnRNNStruct* rnn, int64_t pseudo_layer) {
  const int64_t cell =
      gates(rnn) * rnn->hidden * (input_width(rnn, pseudo_layer) + state_width(rnn));
  return cell + (has_projection(rnn) ? rnn->projection * rnn->hidden : 0);
}

static int64_t all_matrices(const struct cudnnRNNStruct* rnn, int64_t pseudo_layers) {
  int64_t elements = 0;
  for (int64_t i = 0; i < pseudo_layers; ++i) elements += matrix_elements(rnn, i);
  return elements;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                         size_t* bytes) {
  (void)handle;
  const int64_t pseudo_layers = rnn->layers * directions(rnn);
  const int64_t biases = pseudo_layers * bias_sets(rnn) * gates(rnn) * rnn->hidden;
  *bytes = (size_t)((all_matrices(rnn, pseudo_layers) + biases) * element_bytes(rnn->type));
  return CUDNN_STATUS_SUCCESS;
}

static void describe(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type, int64_t rows,
                     int64_t columns) {
  const int sizes[3] = {1, (int)rows, (int)columns},
            strides[3] = {(int)(rows * columns), (int)columns, 1};
  cudnnSetTensorNdDescriptor(descriptor, type, 3, sizes, strides);
}

static void* at(const void* weights, int64_t element, cudnnDataType_t type) {
  return (char*)(uintptr_t)weights + element * element_bytes(type);
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn,
                                      int32_t pseudo_layer, size_t bytes, const void* weights,
                                      int32_t linear_layer, cudnnTensorDescriptor_t matrix,
                                      void** matrix_address, cudnnTensorDescriptor_t bias,
                                      void** bias_address) {
  (void)handle, (void)bytes;
  const int64_t cell = gates(rnn), hidden = rnn->hidden, input = input_width(rnn, pseudo_layer);
  const int64_t width = state_width(rnn);
  const int projecting = linear_layer == 2 * cell;
  if (linear_layer < 0 || linear_layer > 2 * cell || (projecting && !has_projection(rnn)))
    return CUDNN_STATUS_BAD_PARAM;

  int64_t element = all_matrices(rnn, pseudo_layer);
  const int on_input = linear_layer < cell;
  element += on_input ? linear_layer * hidden * input
                      : cell * hidden * input + (linear_layer - cell) * hidden * width;
  if (matrix_address != NULL) *matrix_address = at(weights, element, rnn->type);
  if (matrix != NULL) {
    if (projecting)
      describe(matrix, rnn->type, rnn->projection, hidden);
    else
      describe(matrix, rnn->type, hidden, on_input ? input : width);
  }

  const int64_t set = linear_layer / cell;  // 0: with the input's bias, 1: with the state's
  const int has_bias = !projecting && set < bias_sets(rnn);
  const int64_t before = pseudo_layer * bias_sets(rnn) * cell + linear_layer;
  const int64_t bias_element = all_matrices(rnn, rnn->layers * directions(rnn)) + before * hidden;
  if (bias_address != NULL) *bias_address = has_bias ? at(weights, bias_element, rnn->type) : NULL;
  if (bias != NULL) describe(bias, rnn->type, has_bias ? hidden : 0, has_bias ? 1 : 0);
  return CUDNN_STATUS_SUCCESS;
}
