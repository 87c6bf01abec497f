// cuBLAS: handles with their settings; the products are in gemm.c. PyTorch gives the workspaces
// itself.
#include <cublas_v2.h>
#include <stdlib.h>

#include "verifier/emulator/device/copy.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/stream.h"

struct cublasContext {
  cudaStream_t stream;
  cublasMath_t math_mode;
  cublasPointerMode_t pointer_mode;
  cublasAtomicsMode_t atomics_mode;
};

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (emu_profile() == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = calloc(1, sizeof **handle);
  return *handle != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  free(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
  (void)handle;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION   ? CUBLAS_VER_MAJOR
           : type == MINOR_VERSION ? CUBLAS_VER_MINOR
                                   : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "CUBLAS_STATUS_UNKNOWN";
  }
}

const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

#define SETTING(set, get, type, field)                     \
  cublasStatus_t set(cublasHandle_t handle, type value) {  \
    handle->field = value;                                 \
    return CUBLAS_STATUS_SUCCESS;                          \
  }                                                        \
  cublasStatus_t get(cublasHandle_t handle, type* value) { \
    *value = handle->field;                                \
    return CUBLAS_STATUS_SUCCESS;                          \
  }
SETTING(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math_mode)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics_mode)

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  (void)handle, (void)bytes;
  emu_log_workspace(workspace);
  return CUBLAS_STATUS_SUCCESS;
}

// A result the caller reads: zero, on whichever side the pointer lies.
static cublasStatus_t zero(void* result, size_t bytes) {
  const char none = 0;
  emu_fill(result, &none, 1, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

#define DOT(function, type)                                                                     \
  cublasStatus_t function(cublasHandle_t handle, int n, const type* x, int incx, const type* y, \
                          int incy, type* result) {                                             \
    (void)handle, (void)n, (void)x, (void)incx, (void)y, (void)incy;                            \
    return zero(result, sizeof *result);                                                        \
  }
DOT(cublasSdot_v2, float)
DOT(cublasDdot_v2, double)
DOT(cublasCdotu_v2, cuComplex)
DOT(cublasCdotc_v2, cuComplex)
DOT(cublasZdotu_v2, cuDoubleComplex)
DOT(cublasZdotc_v2, cuDoubleComplex)

static size_t size_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 4;
  }
}

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType x_type,
                           int incx, const void* y, cudaDataType y_type, int incy, void* result,
                           cudaDataType result_type, cudaDataType execution_type) {
  (void)handle, (void)n, (void)x, (void)x_type, (void)incx, (void)y, (void)y_type, (void)incy,
      (void)execution_type;
  return zero(result, size_of(result_type));
}

// info tells on the host whether the arguments were right.
#define GETRS(function, type)                                                                  \
  cublasStatus_t function(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,     \
                          const type* const a[], int lda, const int* pivots, type* const b[],  \
                          int ldb, int* info, int batch) {                                     \
    (void)handle, (void)trans, (void)n, (void)nrhs, (void)a, (void)lda, (void)pivots, (void)b, \
        (void)ldb, (void)batch;                                                                \
    *info = 0;                                                                                 \
    return CUBLAS_STATUS_SUCCESS;                                                              \
  }
GETRS(cublasSgetrsBatched, float)
GETRS(cublasDgetrsBatched, double)
GETRS(cublasCgetrsBatched, cuComplex)
GETRS(cublasZgetrsBatched, cuDoubleComplex)

#define GEQRF(function, type)                                                            \
  cublasStatus_t function(cublasHandle_t handle, int m, int n, type* const a[], int lda, \
                          type* const tau[], int* info, int batch) {                     \
    (void)handle, (void)m, (void)n, (void)a, (void)lda, (void)tau, (void)batch;          \
    *info = 0;                                                                           \
    return CUBLAS_STATUS_SUCCESS;                                                        \
  }
GEQRF(cublasSgeqrfBatched, float)
GEQRF(cublasDgeqrfBatched, double)
GEQRF(cublasCgeqrfBatched, cuComplex)
GEQRF(cublasZgeqrfBatched, cuDoubleComplex)

#define GELS(function, type)                                                                      \
  cublasStatus_t function(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs, \
                          type* const a[], int lda, type* const c[], int ldc, int* info,          \
                          int* device_info, int batch) {                                          \
    (void)handle, (void)trans, (void)m, (void)n, (void)nrhs, (void)a, (void)lda, (void)c;         \
    (void)ldc, (void)device_info, (void)batch;                                                    \
    *info = 0;                                                                                    \
    return CUBLAS_STATUS_SUCCESS;                                                                 \
  }
GELS(cublasSgelsBatched, float)
GELS(cublasDgelsBatched, double)
GELS(cublasCgelsBatched, cuComplex)
GELS(cublasZgelsBatched, cuDoubleComplex)
