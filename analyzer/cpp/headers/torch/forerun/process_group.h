// Collectives over the processes of a training run: torch/csrc/distributed/c10d, which torch.h does
// not include.
#pragma once
#include <torch/forerun_declarations.h>

namespace c10d {
struct AllreduceOptions {};
struct BroadcastOptions {};
struct AllgatherOptions {};
struct BarrierOptions {};
class Work {
 public:
  bool wait(std::chrono::milliseconds timeout = std::chrono::milliseconds(0));
  bool isCompleted();
};
class Store {};
class TCPStore : public Store {
 public:
  explicit TCPStore(std::string host);
};
class FileStore : public Store {
 public:
  FileStore(std::string path, int processes);
};
class ProcessGroup {
 public:
  int getRank() const;
  int getSize() const;
  c10::intrusive_ptr<Work> allreduce(std::vector<at::Tensor>& tensors,
                                     const AllreduceOptions& options = AllreduceOptions());
  c10::intrusive_ptr<Work> broadcast(std::vector<at::Tensor>& tensors,
                                     const BroadcastOptions& options = BroadcastOptions());
  c10::intrusive_ptr<Work> allgather(std::vector<std::vector<at::Tensor>>& outputs,
                                     std::vector<at::Tensor>& inputs,
                                     const AllgatherOptions& options = AllgatherOptions());
  c10::intrusive_ptr<Work> barrier(const BarrierOptions& options = BarrierOptions());
};
class ProcessGroupGloo : public ProcessGroup {
 public:
  ProcessGroupGloo(const c10::intrusive_ptr<Store>& store, int rank, int size);
};
class ProcessGroupNCCL : public ProcessGroup {
 public:
  ProcessGroupNCCL(const c10::intrusive_ptr<Store>& store, int rank, int size);
};
class ProcessGroupMPI : public ProcessGroup {
 public:
  static c10::intrusive_ptr<ProcessGroupMPI> createProcessGroupMPI(std::vector<int> ranks = {});
};
}  // namespace c10d
