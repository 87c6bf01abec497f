// cublasLt: descriptors that keep what they are told, and a heuristic that always knows one
// algorithm. It asks for no workspace: what PyTorch allocates is its own fixed workspace, whatever
// the algorithm wants of it.
#include <cublasLt.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/stream.h"

size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion(void) { return CUDART_VERSION; }

const char* cublasLtGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_NOT_SUPPORTED";
}
const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasLtGetStatusName(status); }

// An opaque descriptor of the header's size, zeroed.
static cublasStatus_t make(void** descriptor, size_t bytes) {
  *descriptor = calloc(1, bytes);
  return *descriptor != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (emu_profile() == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
  return make((void**)handle, 64);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  free(handle);
  return CUBLAS_STATUS_SUCCESS;
}

// What is kept of a description, in the opaque struct of the header.
typedef struct {
  cublasComputeType_t compute;
  cublasOperation_t trans_a;
} Operation;

typedef struct {
  cudaDataType type;
  uint32_t batch;
  uint64_t rows, columns;
} Layout;

_Static_assert(sizeof(Operation) <= sizeof(cublasLtMatmulDescOpaque_t), "opaque is smaller");
_Static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "opaque is smaller");

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* descriptor,
                                        cublasComputeType_t compute, cudaDataType_t scale) {
  (void)scale;
  const cublasStatus_t status = make((void**)descriptor, sizeof **descriptor);
  if (status == CUBLAS_STATUS_SUCCESS) *(Operation*)*descriptor = (Operation){compute, CUBLAS_OP_N};
  return status;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  Operation* operation = (Operation*)descriptor;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA && bytes == sizeof(int32_t))
    operation->trans_a = *(const int32_t*)value;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
  free(descriptor);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
  (void)leading;
  const cublasStatus_t status = make((void**)layout, sizeof **layout);
  if (status == CUBLAS_STATUS_SUCCESS) *(Layout*)*layout = (Layout){type, 1, rows, columns};
  return status;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t bytes) {
  Layout* kept = (Layout*)layout;
  const uint64_t wide = bytes == 8 ? *(const uint64_t*)value : 0;
  const uint32_t narrow = bytes == 4 ? *(const uint32_t*)value : 0;
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE: kept->type = (cudaDataType)narrow; break;
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: kept->batch = narrow; break;
    case CUBLASLT_MATRIX_LAYOUT_ROWS: kept->rows = wide; break;
    case CUBLASLT_MATRIX_LAYOUT_COLS: kept->columns = wide; break;
    default: break;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  free(layout);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return make((void**)preference, sizeof **preference);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  free(preference);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* count) {
  (void)handle, (void)operation, (void)a, (void)b, (void)c, (void)d, (void)preference;
  *count = 0;
  if (requested < 1) return CUBLAS_STATUS_INVALID_VALUE;
  memset(&results[0], 0, sizeof results[0]);
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].wavesCount = 1;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
  (void)handle, (void)alpha, (void)a, (void)b, (void)b_layout, (void)beta, (void)c, (void)c_layout,
      (void)d, (void)algorithm;
  emu_work(stream);
  const Layout *left = (const Layout*)a_layout, *result = (const Layout*)d_layout;
  const Operation* kept = (const Operation*)operation;
  emu_log_gemm(result->rows, result->columns,
               kept->trans_a == CUBLAS_OP_N ? left->columns : left->rows, result->batch,
               (int)left->type, (int)result->type, (int)kept->compute);
  if (workspace_bytes > 0) emu_log_workspace(workspace);
  return CUBLAS_STATUS_SUCCESS;
}
