// A Python name: a value of the graph that lives until the last copy of the name goes. Going out of
// scope, being assigned to and being moved from are what they are in Python, so that a model reads
// like its forward() and frees its tensors where PyTorch does.
#pragma once

#include <memory>

#include "core/dtype.h"
#include "core/shape.h"

namespace forerun::graph {

class Builder;
using ValueId = int;

class Name {
 public:
  Name() = default;  // None
  // The value is dropped by the builder when the last copy goes.
  Name(Builder& builder, ValueId id);

  explicit operator bool() const { return held_ != nullptr; }
  ValueId id() const { return held_ ? held_->id : -1; }
  Builder& builder() const { return *held_->builder; }
  const Shape& shape() const;
  // Counted from the end where negative.
  std::int64_t size(int dim) const;
  DType dtype() const;
  void reset() { held_.reset(); }  // del

 private:
  struct Held {
    Builder* builder;
    ValueId id;
    Held(Builder* owner, ValueId value) : builder(owner), id(value) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held();
  };
  std::shared_ptr<Held> held_;
};

// The end of a Python function: its locals go in the order they were first named, where C++ would
// let go of the last one first.
template <class... Names>
void leave(Names&... locals) {
  (locals.reset(), ...);
}

}  // namespace forerun::graph
