// The process a training run lives in: what ATen, autograd and autocast keep between two operators.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "estimator/devices/device.h"
#include "estimator/ops/tape.h"
#include "estimator/ops/tensor.h"

namespace forerun::ops {

class Runtime {
 public:
  Runtime(Tape& tape, const devices::Device& device) : tape(tape), device(device) {}

  Tape& tape;
  const devices::Device& device;

  // --- memory ---
  // It is called "<where> <what>", or only `what`.
  Tensor empty(Shape shape, DType dtype, Category category, std::string_view what) {
    return empty(std::move(shape), dtype, category, {}, what);
  }
  Tensor empty(Shape shape, DType dtype, Category category, std::string_view where,
               std::string_view what);
  // An activation or a temporary, by the phase that runs: "<layer> <role>".
  Tensor output(Shape shape, DType dtype, std::string_view role);
  // The same for a tensor that is already in the graph but has no memory yet.
  void allocate(Tensor& tensor, std::string_view role) {
    tensor.storage = output(tensor.shape, tensor.dtype, role).storage;
  }
  Tensor output_like(const Tensor& like, std::string_view role) {
    return output(like.shape, like.dtype, role);
  }

  // --- cost ---
  // A kernel that reads and writes each of the tensors once.
  void launch(std::string_view kernel, std::initializer_list<const Tensor*> touched);
  // A matrix product [m, k] x [k, n].
  void launch_matmul(std::string_view kernel, std::int64_t m, std::int64_t n, std::int64_t k,
                     DType dtype);

  // --- autograd ---
  // Links `output` into the graph when one of the inputs wants a gradient; returns its node, or
  // null.
  Node* record(std::string_view op, Tensor& output, std::initializer_list<const Tensor*> inputs,
               std::function<Tensors(Runtime&, Node&, Tensors&)> backward);
  // The same for any number of outputs, whose gradients come to `backward` in their order, an
  // undefined one where nobody used the output. The engine sums and casts what `backward` gives to
  // the shapes and dtypes of the inputs.
  Node* record_strided(std::string_view op, const std::vector<Tensor*>& outputs,
                       const std::vector<const Tensor*>& inputs,
                       std::function<Tensors(Runtime&, Node&, Tensors&)> backward);
  // SavedVariable: the tensor waits for the node's backward. An undefined one keeps its place.
  void keep(Node& node, const Tensor& tensor);
  bool grad_enabled = true;
  // Inside torch.utils.checkpoint: the part that runs, forward or being made again.
  std::shared_ptr<CheckpointFrame> frame;
  bool recomputing = false;
  // Everything the part keeps is there again: what remains of it is not run (early stop).
  bool recomputed_enough() const {
    return recomputing && static_cast<int>(frame->remade.size()) == frame->kept;
  }
  std::string_view where;  // the layer that runs: "linear 2"; of the graph, which outlives the run

  // --- autocast (aten/src/ATen/autocast_mode.cpp, 2.11) ---
  // The low precision while inside `with torch.autocast(...)`.
  std::optional<DType> autocast;
  // The tensor in the dtype; casts of parameters are remembered until autocast is left, others are
  // made anew.
  Tensor cast(const Tensor& tensor, DType dtype);
  Tensor cast_low(const Tensor& tensor) { return autocast ? cast(tensor, *autocast) : tensor; }
  Tensor cast_float(const Tensor& tensor) {
    return autocast ? cast(tensor, DType::Float32) : tensor;
  }
  void leave_autocast();

  // --- BLAS workspaces: one set a thread; forward runs on the main thread, backward on the
  // device's ---
  enum class Thread { Main, Backward };
  Thread thread = Thread::Main;
  struct Blas {
    Tensor cublas;
    Tensor cublaslt;
  };
  Blas& blas() { return thread == Thread::Main ? main_blas_ : backward_blas_; }

 private:
  Node* link(std::string_view op, const std::vector<Tensor*>& outputs,
             const std::vector<const Tensor*>& inputs,
             std::function<Tensors(Runtime&, Node&, Tensors&)> backward);

  std::uint64_t next_order_ = 0;
  std::map<const Storage*, Tensor> cast_cache_;
  Blas main_blas_, backward_blas_;
};

// A copy in another dtype, with its gradient flowing back in the old one (_to_copy).
Tensor to_copy(Runtime& run, const Tensor& tensor, DType dtype, std::string_view role);

}  // namespace forerun::ops
