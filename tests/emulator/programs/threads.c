// A thousand threads, each with streams of its own, that use the device as hard as they can:
// allocate, copy, launch, record, wait, capture, free. Whatever is not as CUDA promises ends the
// program with a message. It is compiled against the emulator's sources, so that sanitizers see
// both.
//
// usage: threads [THREADS [ROUNDS]]
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call)                                                                              \
  do {                                                                                          \
    const cudaError_t error = (call);                                                           \
    if (error != cudaSuccess) {                                                                 \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)); \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

enum { STREAMS = 3, VALUES = 256 };
static int rounds = 20;

// nvcc's generated code registers a kernel by the address of a host function.
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaUnregisterFatBinary(void** module);
void __cudaRegisterFunction(void** module, const char* host, char* device_function,
                            const char* device_name, int thread_limit, void* tid, void* bid,
                            void* block, void* grid, int* warp_size);
static void kernel(void) {}

static unsigned next(unsigned* state) { return *state = *state * 1664525u + 1013904223u; }

static void capture(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  // Another thread may have as many captures open as there can be.
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  MUST(cudaLaunchKernel((const void*)kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, NULL, 0, stream));
  MUST(cudaStreamEndCapture(stream, &graph));
  MUST(cudaGraphInstantiate(&executable, graph, 0));
  MUST(cudaGraphLaunch(executable, stream));
  MUST(cudaGraphExecDestroy(executable));
  MUST(cudaGraphDestroy(graph));
}

static void round_of(int id, unsigned* random, cudaStream_t* streams, cudaEvent_t event) {
  int out[VALUES], in[VALUES];
  const size_t bytes = sizeof out + next(random) % 100000;
  cudaStream_t stream = streams[next(random) % STREAMS];
  char *a, *b;
  MUST(cudaMalloc((void**)&a, bytes));
  MUST(cudaMallocAsync((void**)&b, bytes, stream));
  CHECK(a != b);
  for (int i = 0; i < VALUES; ++i) out[i] = id * VALUES + i;
  MUST(cudaMemcpyAsync(a, out, sizeof out, cudaMemcpyHostToDevice, stream));
  MUST(cudaMemsetAsync(b, 0xff, bytes, stream));
  MUST(cudaMemcpyAsync(b, a, sizeof out, cudaMemcpyDeviceToDevice, stream));
  MUST(cudaLaunchKernel((const void*)kernel, (dim3){8, 1, 1}, (dim3){128, 1, 1}, NULL, 0, stream));
  MUST(cudaEventRecord(event, stream));
  MUST(cudaStreamWaitEvent(streams[next(random) % STREAMS], event, 0));
  MUST(cudaMemcpyAsync(in, b, sizeof in, cudaMemcpyDeviceToHost, stream));
  MUST(cudaStreamSynchronize(stream));
  CHECK(memcmp(in, out, sizeof in) == 0);  // no other thread's
  struct cudaPointerAttributes attributes;
  MUST(cudaPointerGetAttributes(&attributes, a));
  CHECK(attributes.type == cudaMemoryTypeDevice);
  MUST(cudaFreeAsync(b, stream));
  MUST(cudaFree(a));
}

static void* work(void* argument) {
  const int id = (int)(size_t)argument;
  unsigned random = (unsigned)id * 2654435761u + 1;
  cudaStream_t streams[STREAMS];
  cudaEvent_t event;
  void* pinned;
  MUST(cudaSetDevice(id % 2));
  for (int i = 0; i < STREAMS; ++i)
    MUST(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
  MUST(cudaEventCreate(&event));
  MUST(cudaMallocHost(&pinned, 4096));
  for (int i = 0; i < rounds; ++i) {
    round_of(id, &random, streams, event);
    if (i % 8 == 0) capture(streams[0]);
  }
  // Not the device: that would break the captures of other threads.
  for (int i = 0; i < STREAMS; ++i) MUST(cudaStreamSynchronize(streams[i]));
  MUST(cudaFreeHost(pinned));
  MUST(cudaEventDestroy(event));
  for (int i = 0; i < STREAMS; ++i) MUST(cudaStreamDestroy(streams[i]));
  return NULL;
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 1000;
  if (argc > 2) rounds = atoi(argv[2]);
  size_t before[2], after[2], total;
  for (int device = 0; device < 2; ++device) {
    MUST(cudaSetDevice(device));
    MUST(cudaMemGetInfo(&before[device], &total));
  }
  void** module = __cudaRegisterFatBinary(NULL);
  __cudaRegisterFunction(module, (const char*)kernel, "kernel", "kernel", -1, 0, 0, 0, 0, 0);
  pthread_t* ids = calloc((size_t)threads, sizeof *ids);
  for (int i = 0; i < threads; ++i) {
    if (pthread_create(&ids[i], NULL, work, (void*)(size_t)i) != 0) return 2;
  }
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  free(ids);
  __cudaUnregisterFatBinary(module);
  for (int device = 0; device < 2; ++device) {
    MUST(cudaSetDevice(device));
    MUST(cudaMemGetInfo(&after[device], &total));
    if (after[device] != before[device]) {
      fprintf(stderr, "device %d: %zu B are still taken\n", device, before[device] - after[device]);
      return 1;
    }
  }
  printf("%d threads, %d rounds each, %d streams a thread\n", threads, rounds, STREAMS);
  return 0;
}
