// Copies and fills. The direction a caller states is not needed: addresses say it.
#include "verifier/emulator/device/copy.h"

#include "verifier/emulator/cudart/runtime.h"
#include "verifier/emulator/device/kernels.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/stream.h"

// A copy without "Async" waits for the device.
static void wait(void) { emu_add(&emu_report()->synchronisations, 1); }

static cudaError_t copy(const char* call, void* to, const void* from, size_t bytes,
                        cudaStream_t stream, int waits) {
  emu_work(stream);
  emu_log_copy(call, to, from, bytes, stream, waits);
  emu_copy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  (void)kind;
  return copy("cudaMemcpyAsync", to, from, bytes, stream, 0);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
  (void)kind;
  wait();
  return copy("cudaMemcpy", to, from, bytes, NULL, 1);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  (void)to_device, (void)from_device;
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
  (void)kind;
  if (width > to_pitch || width > from_pitch) return emu_fail(cudaErrorInvalidValue);
  emu_work(stream);
  emu_log_copy("cudaMemcpy2DAsync", to, from, width * height, stream, 0);
  emu_copy_rows(to, to_pitch, from, from_pitch, width, height);
  return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
  (void)kind;
  if (width > to_pitch || width > from_pitch) return emu_fail(cudaErrorInvalidValue);
  wait();
  emu_work(NULL);
  emu_log_copy("cudaMemcpy2D", to, from, width * height, NULL, 1);
  emu_copy_rows(to, to_pitch, from, from_pitch, width, height);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t stream) {
  const unsigned char byte = (unsigned char)value;
  emu_work(stream);
  emu_fill(at, &byte, 1, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset(void* at, int value, size_t bytes) {
  return cudaMemsetAsync(at, value, bytes, NULL);
}

// The part of a registered variable a copy names; null when it is not registered or too small.
static char* variable_at(const void* symbol, size_t offset, size_t bytes) {
  uint64_t size = 0;
  const uint64_t address = emu_variable(symbol, &size);
  if (address == 0 || offset > size || bytes > size - offset) return NULL;
  return (char*)(uintptr_t)address + offset;
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
  char* at = variable_at(symbol, offset, bytes);
  return at == NULL ? emu_fail(cudaErrorInvalidSymbol)
                    : cudaMemcpyAsync(at, from, bytes, kind, stream);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
  (void)kind;
  wait();
  char* at = variable_at(symbol, offset, bytes);
  return at == NULL ? emu_fail(cudaErrorInvalidSymbol)
                    : copy("cudaMemcpyToSymbol", at, from, bytes, NULL, 1);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
  const char* at = variable_at(symbol, offset, bytes);
  return at == NULL ? emu_fail(cudaErrorInvalidSymbol)
                    : cudaMemcpyAsync(to, at, bytes, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) {
  (void)kind;
  wait();
  const char* at = variable_at(symbol, offset, bytes);
  return at == NULL ? emu_fail(cudaErrorInvalidSymbol)
                    : copy("cudaMemcpyFromSymbol", to, at, bytes, NULL, 1);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  *pointer = (void*)(uintptr_t)emu_variable(symbol, NULL);
  return *pointer != NULL ? cudaSuccess : emu_fail(cudaErrorInvalidSymbol);
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  uint64_t size = 0;
  if (emu_variable(symbol, &size) == 0) return emu_fail(cudaErrorInvalidSymbol);
  *bytes = size;
  return cudaSuccess;
}
