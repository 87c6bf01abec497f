// Products: they compute nothing, and the log learns their shapes. Pointers, leading dimensions and
// strides are not looked at.
#include <cublas_v2.h>

#include "verifier/emulator/device/log.h"

static cublasStatus_t product(int m, int n, int k, int batch, cudaDataType a, cudaDataType c,
                              int compute) {
  if (m > 0 && n > 0 && k > 0 && batch > 0)
    emu_log_gemm((uint64_t)m, (uint64_t)n, (uint64_t)k, (uint64_t)batch, (int)a, (int)c, compute);
  return CUBLAS_STATUS_SUCCESS;
}

#pragma GCC diagnostic ignored "-Wunused-parameter"

// The types of the functions that carry theirs in their names.
#define PRODUCTS(letter, type, data_type, compute)                                                 \
  cublasStatus_t cublas##letter##gemm_v2(cublasHandle_t handle, cublasOperation_t trans_a,         \
                                         cublasOperation_t trans_b, int m, int n, int k,           \
                                         const type* alpha, const type* a, int lda, const type* b, \
                                         int ldb, const type* beta, type* c, int ldc) {            \
    return product(m, n, k, 1, data_type, data_type, compute);                                     \
  }                                                                                                \
  cublasStatus_t cublas##letter##gemmBatched(                                                      \
      cublasHandle_t handle, cublasOperation_t trans_a, cublasOperation_t trans_b, int m, int n,   \
      int k, const type* alpha, const type* const a[], int lda, const type* const b[], int ldb,    \
      const type* beta, type* const c[], int ldc, int batch) {                                     \
    return product(m, n, k, batch, data_type, data_type, compute);                                 \
  }                                                                                                \
  cublasStatus_t cublas##letter##gemmStridedBatched(                                               \
      cublasHandle_t handle, cublasOperation_t trans_a, cublasOperation_t trans_b, int m, int n,   \
      int k, const type* alpha, const type* a, int lda, long long stride_a, const type* b,         \
      int ldb, long long stride_b, const type* beta, type* c, int ldc, long long stride_c,         \
      int batch) {                                                                                 \
    return product(m, n, k, batch, data_type, data_type, compute);                                 \
  }                                                                                                \
  cublasStatus_t cublas##letter##gemv_v2(                                                          \
      cublasHandle_t handle, cublasOperation_t trans, int m, int n, const type* alpha,             \
      const type* a, int lda, const type* x, int incx, const type* beta, type* y, int incy) {      \
    const int plain = trans == CUBLAS_OP_N;                                                        \
    return product(plain ? m : n, 1, plain ? n : m, 1, data_type, data_type, compute);             \
  }
PRODUCTS(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
PRODUCTS(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
PRODUCTS(C, cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F)
PRODUCTS(Z, cuDoubleComplex, CUDA_C_64F, CUBLAS_COMPUTE_64F)

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t trans_a,
                             cublasOperation_t trans_b, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType a_type, int lda, const void* b,
                             cudaDataType b_type, int ldb, const float* beta, void* c,
                             cudaDataType c_type, int ldc) {
  return product(m, n, k, 1, a_type, c_type, CUBLAS_COMPUTE_32F);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t trans_a,
                            cublasOperation_t trans_b, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  return product(m, n, k, 1, a_type, c_type, (int)compute);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t trans_a,
                                   cublasOperation_t trans_b, int m, int n, int k,
                                   const void* alpha, const void* const a[], cudaDataType a_type,
                                   int lda, const void* const b[], cudaDataType b_type, int ldb,
                                   const void* beta, void* const c[], cudaDataType c_type, int ldc,
                                   int batch, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm) {
  return product(m, n, k, batch, a_type, c_type, (int)compute);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t trans_a,
                                          cublasOperation_t trans_b, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return product(m, n, k, batch, a_type, c_type, (int)compute);
}

cublasStatus_t cublasGemmGroupedBatchedEx(
    cublasHandle_t handle, const cublasOperation_t trans_a[], const cublasOperation_t trans_b[],
    const int m[], const int n[], const int k[], const void* alpha, const void* const a[],
    cudaDataType_t a_type, const int lda[], const void* const b[], cudaDataType_t b_type,
    const int ldb[], const void* beta, void* const c[], cudaDataType_t c_type, const int ldc[],
    int groups, const int sizes[], cublasComputeType_t compute) {
  for (int i = 0; i < groups; ++i)
    product(m[i], n[i], k[i], sizes[i], a_type, c_type, (int)compute);
  return CUBLAS_STATUS_SUCCESS;
}
