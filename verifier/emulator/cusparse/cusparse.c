// cuSPARSE: handles and descriptors; products of a sparse with a dense operand compute nothing and
// want no workspace.
#include <cusparse.h>
#include <stdlib.h>

#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"

// Descriptors keep the sizes that are asked back.
struct cusparseSpMatDescr {
  int64_t rows, columns, entries;
};

static cusparseStatus_t made(const void* object) {
  return object != NULL ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

static cusparseStatus_t release(const void* object) {
  free((void*)(uintptr_t)object);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  if (emu_profile() == NULL) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *handle = calloc(1, 16);
  return made(*handle);
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) { return release(handle); }

const char* cusparseGetErrorName(cusparseStatus_t status) {
  return status == CUSPARSE_STATUS_SUCCESS         ? "CUSPARSE_STATUS_SUCCESS"
         : status == CUSPARSE_STATUS_NOT_SUPPORTED ? "CUSPARSE_STATUS_NOT_SUPPORTED"
                                                   : "CUSPARSE_STATUS_UNKNOWN";
}

const char* cusparseGetErrorString(cusparseStatus_t status) {
  return status == CUSPARSE_STATUS_SUCCESS         ? "success"
         : status == CUSPARSE_STATUS_NOT_SUPPORTED ? "operation not supported"
                                                   : "unknown error";
}

static cusparseStatus_t sparse(cusparseSpMatDescr_t* descriptor, int64_t rows, int64_t columns,
                               int64_t entries) {
  *descriptor = malloc(sizeof **descriptor);
  if (*descriptor != NULL) **descriptor = (struct cusparseSpMatDescr){rows, columns, entries};
  return made(*descriptor);
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* descriptor, int64_t rows, int64_t columns,
                                   int64_t entries, void* row_offsets, void* column_indices,
                                   void* values, cusparseIndexType_t row_type,
                                   cusparseIndexType_t column_type, cusparseIndexBase_t base,
                                   cudaDataType type) {
  (void)row_offsets, (void)column_indices, (void)values, (void)row_type, (void)column_type,
      (void)base, (void)type;
  return sparse(descriptor, rows, columns, entries);
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* descriptor, int64_t rows, int64_t columns,
                                   int64_t entries, void* row_indices, void* column_indices,
                                   void* values, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
  (void)row_indices, (void)column_indices, (void)values, (void)index_type, (void)base, (void)type;
  return sparse(descriptor, rows, columns, entries);
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t descriptor, int64_t* rows,
                                      int64_t* columns, int64_t* entries) {
  *rows = descriptor->rows;
  *columns = descriptor->columns;
  *entries = descriptor->entries;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t descriptor) {
  return release(descriptor);
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* descriptor, int64_t rows,
                                     int64_t columns, int64_t leading, void* values,
                                     cudaDataType type, cusparseOrder_t order) {
  (void)rows, (void)columns, (void)leading, (void)values, (void)type, (void)order;
  *descriptor = calloc(1, 16);
  return made(*descriptor);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descriptor) {
  return release(descriptor);
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* descriptor, int64_t size, void* values,
                                     cudaDataType type) {
  (void)size, (void)values, (void)type;
  *descriptor = calloc(1, 16);
  return made(*descriptor);
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t descriptor) {
  return release(descriptor);
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descriptor) {
  *descriptor = calloc(1, 16);
  return made(*descriptor);
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) {
  return release(descriptor);
}

static cusparseStatus_t unknown_size(size_t* bytes) {
  static EmuEntry workspace = {"cuSPARSE workspace", 0};
  emu_unknown_size(&workspace);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t operation,
                                         const void* alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType type,
                                         cusparseSpMVAlg_t algorithm, size_t* bytes) {
  (void)handle, (void)operation, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)type,
      (void)algorithm;
  return unknown_size(bytes);
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t operation_a,
                                         cusparseOperation_t operation_b, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c,
                                         cudaDataType type, cusparseSpMMAlg_t algorithm,
                                         size_t* bytes) {
  (void)handle, (void)operation_a, (void)operation_b, (void)alpha, (void)a, (void)b, (void)beta,
      (void)c, (void)type;
  (void)algorithm;
  return unknown_size(bytes);
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t operation_a,
                                          cusparseOperation_t operation_b, const void* alpha,
                                          cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void* beta, cusparseSpMatDescr_t c,
                                          cudaDataType type, cusparseSDDMMAlg_t algorithm,
                                          size_t* bytes) {
  (void)handle, (void)operation_a, (void)operation_b, (void)alpha, (void)a, (void)b, (void)beta,
      (void)c, (void)type;
  (void)algorithm;
  return unknown_size(bytes);
}

cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int entries,
                                                const int* rows, const int* columns,
                                                size_t* bytes) {
  (void)handle, (void)m, (void)n, (void)entries, (void)rows, (void)columns;
  return unknown_size(bytes);
}
