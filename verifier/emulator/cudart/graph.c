// Stream capture and graphs: what is captured is counted, not recorded; launching a graph launches
// that many nodes.
#include <stdlib.h>

#include "verifier/emulator/cudart/runtime.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/stream.h"

static __thread enum cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* mode) {
  const enum cudaStreamCaptureMode before = capture_mode;
  capture_mode = *mode;
  *mode = before;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  (void)mode;
  EmuGraph* graph = emu_graph_create();
  if (graph == NULL) return emu_fail(cudaErrorMemoryAllocation);
  if (emu_capture_begin(emu_stream(stream), graph)) return cudaSuccess;
  emu_graph_destroy(graph);
  return emu_fail(cudaErrorIllegalState);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  EmuGraph* captured = emu_capture_end(emu_stream(stream));
  *graph = NULL;
  if (captured == NULL) return emu_fail(cudaErrorIllegalState);
  if (captured->broken) {
    emu_graph_destroy(captured);
    return emu_fail(cudaErrorStreamCaptureInvalidated);
  }
  *graph = (cudaGraph_t)captured;
  return cudaSuccess;
}

static enum cudaStreamCaptureStatus status_of(const EmuGraph* graph) {
  if (graph == NULL) return cudaStreamCaptureStatusNone;
  return graph->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

// While a capture in the mode "global" is on, no thread may wait for the device, unless it says
// that it knows what it does.
int emu_wait_breaks_captures(void) {
  return capture_mode != cudaStreamCaptureModeRelaxed && emu_captures_break();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* status) {
  *status = status_of(emu_capture_of(emu_stream(stream), NULL));
  return cudaSuccess;
}

static void capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                         unsigned long long* id_out, cudaGraph_t* graph_out,
                         size_t* dependencies_out) {
  uint64_t id = 0;
  EmuGraph* graph = emu_capture_of(emu_stream(stream), &id);
  *status = status_of(graph);
  if (id_out != NULL) *id_out = id;
  if (graph_out != NULL) *graph_out = (cudaGraph_t)graph;
  if (dependencies_out != NULL) *dependencies_out = 0;
}

// CUDA 13 gave the newest form the plain name; CUDA 12's headers give it to the older one.
#if CUDART_VERSION < 13000
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies,
                                        size_t* dependency_count) {
  if (dependencies != NULL) *dependencies = NULL;
  capture_info(stream, status, id, graph, dependency_count);
  return cudaSuccess;
}
#define NEWEST_CAPTURE_INFO cudaStreamGetCaptureInfo_v3
#else
#define NEWEST_CAPTURE_INFO cudaStreamGetCaptureInfo
#endif

cudaError_t NEWEST_CAPTURE_INFO(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                                unsigned long long* id, cudaGraph_t* graph,
                                const cudaGraphNode_t** dependencies,
                                const cudaGraphEdgeData** edges, size_t* dependency_count) {
  if (dependencies != NULL) *dependencies = NULL;
  if (edges != NULL) *edges = NULL;
  capture_info(stream, status, id, graph, dependency_count);
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  (void)flags;
  *graph = (cudaGraph_t)emu_graph_create();
  return *graph != NULL ? cudaSuccess : emu_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  emu_graph_destroy((EmuGraph*)graph);
  return cudaSuccess;
}

// The number of nodes is known, the nodes are not: a caller that asks for them is told there are
// none.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  *count = nodes == NULL ? ((const EmuGraph*)graph)->nodes : 0;
  return cudaSuccess;
}

// An executable graph is a copy of what was counted.
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  (void)flags;
  EmuGraph* copy = emu_graph_create();
  if (copy == NULL) return emu_fail(cudaErrorMemoryAllocation);
  copy->nodes = ((const EmuGraph*)graph)->nodes;
  *executable = (cudaGraphExec_t)copy;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  emu_graph_destroy((EmuGraph*)executable);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  emu_work(stream);
  emu_add(&emu_report()->launches, ((const EmuGraph*)executable)->nodes);
  emu_log_graph(((const EmuGraph*)executable)->nodes);
  return cudaSuccess;
}
