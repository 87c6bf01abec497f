// One forward pass as data: which operator reads what, which names Python lets go of and when.
//
// `drop` is a name going out of use (nn.Sequential rebinding `input`, a temporary handed to the
// loss). A value's memory lives on while autograd keeps it; that is decided when the graph runs,
// not here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/spec.h"
#include "estimator/ops/operator.h"

namespace forerun::graph {

using ValueId = int;

struct Value {
  Shape shape;
  DType dtype = DType::Float32;  // outside autocast
  std::string what;              // "input", "relu 1"
  int parameter = -1;            // index of the parameter it is: nobody drops it
};

struct Parameter {
  std::string name;  // "linear 1 weight"
  Shape shape;
  DType dtype = DType::Float32;
  std::string owner;       // "linear 1"
  bool trainable = true;   // false: a buffer, such as batch norm's running mean
  bool discarded = false;  // made and thrown away while the model is made (tied weights)
};

struct Instruction {
  const ops::Operator* op = nullptr;  // null: drop inputs[0], or make parameters[0] in `setup`
  std::vector<ValueId> inputs;
  std::vector<int> parameters;  // indices; -1: absent
  ops::Attributes attributes;
  ValueId output = -1;
  // The operator's other results, or names its Python function holds until it returns.
  std::vector<ValueId> also;
  std::string where;    // "linear 1"
  int checkpoint = -1;  // which checkpointed block it belongs to, -1: none
};

struct Graph {
  std::vector<Value> values;
  std::vector<Parameter> parameters;  // and buffers, in the order model.to(device) moves them
  std::vector<Instruction> setup;     // how the model is made on the device; empty: it is moved
  std::vector<Instruction> instructions;
  ValueId input = -1;
  ValueId target = -1;
  std::vector<ValueId> more_inputs;  // between input and target, where a model takes several
  ValueId loss = -1;
  bool by_setup = false;  // the model is made by `setup`
  // Indices of `parameters` where PyTorch's orders are not that of making; empty: they are.
  std::vector<int> trained_order;          // model.parameters(), buffers among them skipped
  std::vector<int> moved_order;            // model.to(...)
  std::vector<std::string> notes;          // what is not modelled, aloud
  std::map<std::string, Location> places;  // "linear 1" -> where the spec names it

  // Of what trains; buffers are not counted.
  std::int64_t parameter_count() const;
  std::int64_t parameters_bytes() const;
};

// Errors carry the spec's positions: an unknown layer, an impossible argument, shapes that do not
// meet, a size that needs more than 64 bits, a combination that is not modelled.
Result<Graph> build(const Spec& spec);

// One line an instruction: "%2 = linear(%1, w: [2048, 1024], b: [2048]) : float32[64, 2048]  #
// linear 1"
std::string print(const Graph& graph);

// Every value is defined once, used after its definition and not after its drop; shapes are
// positive. For tests and as a guard after building.
Status verify(const Graph& graph);

}  // namespace forerun::graph
