// Tensors without values: a shape, an element type, and a counted share of a storage. When the last
// share of a storage goes, the tape records the free, at the very point where PyTorch's reference
// count would reach zero.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"
#include "estimator/ops/tape.h"

namespace forerun::ops {

class Runtime;
struct Node;

class Storage {
 public:
  Storage(Tape& tape, int allocation) : tape_(tape), allocation_(allocation) {}
  ~Storage() { tape_.free(allocation_); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  // Autograd's version counter: an in-place operator raises it and says who it was.
  void overwrite(std::string_view by) {
    ++version_;
    overwritten_by_ = by;
  }
  int version() const { return version_; }
  std::string_view overwritten_by() const { return overwritten_by_; }

 private:
  Tape& tape_;
  int allocation_;
  int version_ = 0;
  std::string_view overwritten_by_;  // of the graph
};

struct Tensor {
  std::shared_ptr<Storage> storage;  // null: an undefined tensor
  Shape shape;
  DType dtype = DType::Float32;
  std::shared_ptr<Node> grad_fn;  // the node that made it; for a parameter, its AccumulateGrad
  bool is_leaf = false;           // a parameter
  Shape strides = {};             // in elements; empty: contiguous
  int output_nr = 0;              // which of the node's outputs it is
  // A view keeps the tensor it was made of, so a gradient that is one is not added to in place.
  bool is_view = false;

  explicit operator bool() const { return storage != nullptr; }
  bool requires_grad() const { return grad_fn != nullptr; }
  std::int64_t elements() const;
  std::int64_t bytes() const;  // of the view, not of the storage
  Tensor detach() const { return {storage, shape, dtype, nullptr, false, strides}; }
  // Of a contiguous tensor; view.h has the views of others.
  Tensor view(Shape to) const { return {storage, std::move(to), dtype, grad_fn, is_leaf}; }
  // Nobody else holds the storage: it may be written in place or kept without a copy.
  bool sole_owner() const { return storage.use_count() == 1; }
};

using Tensors = std::vector<Tensor>;

// One step of the backward graph. `backward` takes the gradient of the output and gives one of each
// input, in the order of `next`, an undefined one where nobody asks for it. Inside, the gradient
// and everything saved are alive; the engine drops the gradient when it returns and the saved
// tensors right after. torch.utils.checkpoint around a part of the model (use_reentrant=False):
// what its nodes would keep is thrown away in forward, and made again, all of it, when the first of
// them runs backward.
struct CheckpointFrame {
  Tensors inputs;  // kept instead; they go with the last node of the part
  int kept = 0;    // tensors its nodes kept in forward
  bool recomputed = false;
  Tensors remade;  // in the order they were kept; each is taken once
  std::function<void(const std::shared_ptr<CheckpointFrame>&)> recompute;
};

struct Node {
  static constexpr std::uint64_t kAccumulate = std::numeric_limits<std::uint64_t>::max();

  std::string_view op;      // "addmm"
  std::string_view where;   // the layer it belongs to: "linear 2"; of the graph
  std::uint64_t order = 0;  // creation order; later nodes run first, kAccumulate before all
  struct Edge {
    std::shared_ptr<Node> node;  // null: this input needs no gradient
    int output = 0;              // which output of the node it is
  };
  std::vector<Edge> next;
  int outputs = 1;  // how many gradients `backward` is given
  // validate_outputs: what the engine sums and casts the gradient of each input to; empty: the
  // operator has done it.
  struct Expected {
    Shape shape;
    DType dtype;
  };
  std::vector<Expected> expected = {};
  Tensors saved;
  struct Kept {
    int version;  // of the tensor when it was saved
    int slot;     // its place in the frame, -1 for an undefined one
  };
  std::vector<Kept> kept;                  // of each saved tensor
  std::shared_ptr<CheckpointFrame> frame;  // null: not under a checkpoint
  std::function<Tensors(Runtime&, Node&, Tensors&)> backward;

  // The engine's: gradients that arrived so far, and how many are still to come.
  Tensors incoming;
  int waiting = 0;

  bool needs(std::size_t input) const { return next[input].node != nullptr; }
};

}  // namespace forerun::ops
