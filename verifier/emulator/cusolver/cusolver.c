// cuSOLVER: handles, parameter objects, and workspace sizes, which only the library itself knows:
// zero, named in the report. Factorisations compute nothing; what they report on the device reads
// as "no error".
#include <cusolverDn.h>
#include <stdlib.h>

#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"

#define OBJECT(create, destroy, type)                                                \
  cusolverStatus_t create(type* object) {                                            \
    if (emu_profile() == NULL) return CUSOLVER_STATUS_NOT_INITIALIZED;               \
    *object = calloc(1, 16);                                                         \
    return *object != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED; \
  }                                                                                  \
  cusolverStatus_t destroy(type object) {                                            \
    free(object);                                                                    \
    return CUSOLVER_STATUS_SUCCESS;                                                  \
  }
OBJECT(cusolverDnCreate, cusolverDnDestroy, cusolverDnHandle_t)
OBJECT(cusolverDnCreateParams, cusolverDnDestroyParams, cusolverDnParams_t)
OBJECT(cusolverDnCreateGesvdjInfo, cusolverDnDestroyGesvdjInfo, gesvdjInfo_t)
OBJECT(cusolverDnCreateSyevjInfo, cusolverDnDestroySyevjInfo, syevjInfo_t)

static EmuEntry workspace = {"cuSOLVER workspace", 0};

static cusolverStatus_t elements(int* count) {
  emu_unknown_size(&workspace);
  *count = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t bytes(size_t* device, size_t* host) {
  emu_unknown_size(&workspace);
  *device = *host = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

// Arguments that are not looked at keep cuSOLVER's names.
#pragma GCC diagnostic ignored "-Wunused-parameter"
typedef cusolverDnHandle_t Handle;
typedef cusolverDnParams_t Params;
typedef cublasFillMode_t Fill;
typedef cusolverEigMode_t Mode;

#define POTRF(name, type)                                                                \
  cusolverStatus_t name(Handle handle, Fill uplo, int n, type* a, int lda, int* count) { \
    return elements(count);                                                              \
  }
POTRF(cusolverDnSpotrf_bufferSize, float)
POTRF(cusolverDnDpotrf_bufferSize, double)
POTRF(cusolverDnCpotrf_bufferSize, cuComplex)
POTRF(cusolverDnZpotrf_bufferSize, cuDoubleComplex)

#define GETRF(name, type)                                                            \
  cusolverStatus_t name(Handle handle, int m, int n, type* a, int lda, int* count) { \
    return elements(count);                                                          \
  }
GETRF(cusolverDnSgetrf_bufferSize, float)
GETRF(cusolverDnDgetrf_bufferSize, double)
GETRF(cusolverDnCgetrf_bufferSize, cuComplex)
GETRF(cusolverDnZgetrf_bufferSize, cuDoubleComplex)
GETRF(cusolverDnSgeqrf_bufferSize, float)
GETRF(cusolverDnDgeqrf_bufferSize, double)
GETRF(cusolverDnCgeqrf_bufferSize, cuComplex)
GETRF(cusolverDnZgeqrf_bufferSize, cuDoubleComplex)

#define ORGQR(name, type)                                                           \
  cusolverStatus_t name(Handle handle, int m, int n, int k, const type* a, int lda, \
                        const type* tau, int* count) {                              \
    return elements(count);                                                         \
  }
ORGQR(cusolverDnSorgqr_bufferSize, float)
ORGQR(cusolverDnDorgqr_bufferSize, double)
ORGQR(cusolverDnCungqr_bufferSize, cuComplex)
ORGQR(cusolverDnZungqr_bufferSize, cuDoubleComplex)

#define ORMQR(name, type)                                                                     \
  cusolverStatus_t name(Handle handle, cublasSideMode_t side, cublasOperation_t trans, int m, \
                        int n, int k, const type* a, int lda, const type* tau, const type* c, \
                        int ldc, int* count) {                                                \
    return elements(count);                                                                   \
  }
ORMQR(cusolverDnSormqr_bufferSize, float)
ORMQR(cusolverDnDormqr_bufferSize, double)
ORMQR(cusolverDnCunmqr_bufferSize, cuComplex)
ORMQR(cusolverDnZunmqr_bufferSize, cuDoubleComplex)

#define GESVD(name) \
  cusolverStatus_t name(Handle handle, int m, int n, int* count) { return elements(count); }
GESVD(cusolverDnSgesvd_bufferSize)
GESVD(cusolverDnDgesvd_bufferSize)
GESVD(cusolverDnCgesvd_bufferSize)
GESVD(cusolverDnZgesvd_bufferSize)

#define GESVDJ(name, type, real)                                                                   \
  cusolverStatus_t name(Handle handle, Mode jobz, int econ, int m, int n, const type* a, int lda,  \
                        const real* s, const type* u, int ldu, const type* v, int ldv, int* count, \
                        gesvdjInfo_t info) {                                                       \
    return elements(count);                                                                        \
  }
GESVDJ(cusolverDnSgesvdj_bufferSize, float, float)
GESVDJ(cusolverDnDgesvdj_bufferSize, double, double)
GESVDJ(cusolverDnCgesvdj_bufferSize, cuComplex, float)
GESVDJ(cusolverDnZgesvdj_bufferSize, cuDoubleComplex, double)

#define GESVDJ_BATCHED(name, type, real)                                                           \
  cusolverStatus_t name(Handle handle, Mode jobz, int m, int n, const type* a, int lda,            \
                        const real* s, const type* u, int ldu, const type* v, int ldv, int* count, \
                        gesvdjInfo_t info, int batch) {                                            \
    return elements(count);                                                                        \
  }
GESVDJ_BATCHED(cusolverDnSgesvdjBatched_bufferSize, float, float)
GESVDJ_BATCHED(cusolverDnDgesvdjBatched_bufferSize, double, double)
GESVDJ_BATCHED(cusolverDnCgesvdjBatched_bufferSize, cuComplex, float)
GESVDJ_BATCHED(cusolverDnZgesvdjBatched_bufferSize, cuDoubleComplex, double)

#define SYEVD(name, type, real)                                                             \
  cusolverStatus_t name(Handle handle, Mode jobz, Fill uplo, int n, const type* a, int lda, \
                        const real* w, int* count) {                                        \
    return elements(count);                                                                 \
  }
SYEVD(cusolverDnSsyevd_bufferSize, float, float)
SYEVD(cusolverDnDsyevd_bufferSize, double, double)
SYEVD(cusolverDnCheevd_bufferSize, cuComplex, float)
SYEVD(cusolverDnZheevd_bufferSize, cuDoubleComplex, double)

#define SYEVJ(name, type, real)                                                             \
  cusolverStatus_t name(Handle handle, Mode jobz, Fill uplo, int n, const type* a, int lda, \
                        const real* w, int* count, syevjInfo_t info) {                      \
    return elements(count);                                                                 \
  }
SYEVJ(cusolverDnSsyevj_bufferSize, float, float)
SYEVJ(cusolverDnDsyevj_bufferSize, double, double)
SYEVJ(cusolverDnCheevj_bufferSize, cuComplex, float)
SYEVJ(cusolverDnZheevj_bufferSize, cuDoubleComplex, double)

#define SYEVJ_BATCHED(name, type, real)                                                     \
  cusolverStatus_t name(Handle handle, Mode jobz, Fill uplo, int n, const type* a, int lda, \
                        const real* w, int* count, syevjInfo_t info, int batch) {           \
    return elements(count);                                                                 \
  }
SYEVJ_BATCHED(cusolverDnSsyevjBatched_bufferSize, float, float)
SYEVJ_BATCHED(cusolverDnDsyevjBatched_bufferSize, double, double)
SYEVJ_BATCHED(cusolverDnCheevjBatched_bufferSize, cuComplex, float)
SYEVJ_BATCHED(cusolverDnZheevjBatched_bufferSize, cuDoubleComplex, double)

cusolverStatus_t cusolverDnXpotrf_bufferSize(Handle handle, Params params, Fill uplo, int64_t n,
                                             cudaDataType type, const void* a, int64_t lda,
                                             cudaDataType compute, size_t* device, size_t* host) {
  return bytes(device, host);
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(Handle handle, Params params, int64_t m, int64_t n,
                                             cudaDataType type, const void* a, int64_t lda,
                                             cudaDataType tau_type, const void* tau,
                                             cudaDataType compute, size_t* device, size_t* host) {
  return bytes(device, host);
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(Handle handle, Params params, Mode jobz, Fill uplo,
                                             int64_t n, cudaDataType type, const void* a,
                                             int64_t lda, cudaDataType w_type, const void* w,
                                             cudaDataType compute, size_t* device, size_t* host) {
  return bytes(device, host);
}

cusolverStatus_t cusolverDnXsyevBatched_bufferSize(Handle handle, Params params, Mode jobz,
                                                   Fill uplo, int64_t n, cudaDataType type,
                                                   const void* a, int64_t lda, cudaDataType w_type,
                                                   const void* w, cudaDataType compute,
                                                   size_t* device, size_t* host, int64_t batch) {
  return bytes(device, host);
}

#define GESVDA(name, type, real)                                                                  \
  cusolverStatus_t name(Handle handle, Mode jobz, int rank, int m, int n, const type* a, int lda, \
                        long long a_stride, const real* s, long long s_stride, const type* u,     \
                        int ldu, long long u_stride, const type* v, int ldv, long long v_stride,  \
                        int* count, int batch) {                                                  \
    return elements(count);                                                                       \
  }
GESVDA(cusolverDnSgesvdaStridedBatched_bufferSize, float, float)
GESVDA(cusolverDnDgesvdaStridedBatched_bufferSize, double, double)
GESVDA(cusolverDnCgesvdaStridedBatched_bufferSize, cuComplex, float)
GESVDA(cusolverDnZgesvdaStridedBatched_bufferSize, cuDoubleComplex, double)

#define SYTRF(name, type)                                                     \
  cusolverStatus_t name(Handle handle, int n, type* a, int lda, int* count) { \
    return elements(count);                                                   \
  }
SYTRF(cusolverDnSsytrf_bufferSize, float)
SYTRF(cusolverDnDsytrf_bufferSize, double)
SYTRF(cusolverDnCsytrf_bufferSize, cuComplex)
SYTRF(cusolverDnZsytrf_bufferSize, cuDoubleComplex)

cusolverStatus_t cusolverDnXsytrs_bufferSize(Handle handle, Fill uplo, int64_t n, int64_t columns,
                                             cudaDataType type, const void* a, int64_t lda,
                                             const int64_t* pivots, cudaDataType b_type, void* b,
                                             int64_t ldb, size_t* device, size_t* host) {
  return bytes(device, host);
}

#if CUSOLVER_VER_MAJOR >= 12  // CUDA 13's
cusolverStatus_t cusolverDnXgeev_bufferSize(Handle handle, Params params, Mode left, Mode right,
                                            int64_t n, cudaDataType type, const void* a,
                                            int64_t lda, cudaDataType w_type, const void* w,
                                            cudaDataType vl_type, const void* vl, int64_t ldvl,
                                            cudaDataType vr_type, const void* vr, int64_t ldvr,
                                            cudaDataType compute, size_t* device, size_t* host) {
  return bytes(device, host);
}
#endif
