// What an archive of torch.export.save says (torch/_export/serde/schema.py, 2.11, schema 8.x): a
// graph of operators over names, with parameters, buffers and inputs. Weights stay where they are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/result.h"
#include "estimator/readers/bytes.h"

namespace forerun::readers {

// One size of a shape.
struct Size {
  std::optional<std::int64_t> value;  // known when it was exported
  std::string symbol;                 // "s77" when it is just that; empty: known, or a formula
  std::optional<std::int64_t> hint;   // of the example
};

struct TensorMeta {
  std::optional<DType> dtype;  // nothing: a type that we have no name for
  std::vector<Size> sizes;
  std::vector<Size> strides;
  bool requires_grad = false;
};

struct Graph;

// A whole number, or the name of one that the graph computes.
struct Integer {
  std::int64_t value = 0;
  std::string name;  // empty: the value
};

struct Argument {
  enum class Kind {
    None,
    Tensor,   // text: its name
    Tensors,  // names, "" where there is none
    Integer,
    Integers,
    Number,
    Numbers,
    Flag,
    Text,
    Type,
    Graph,
    Other,  // a device, a layout, ...: text says which
  };
  Kind kind = Kind::None;
  std::string text;
  std::vector<std::string> names;
  std::vector<Integer> integers;  // one of an Integer
  double number = 0;
  bool flag = false;
  std::optional<DType> dtype;
  std::shared_ptr<const readers::Graph> graph;
};

struct NamedArgument {
  std::string name;  // of the operator's schema
  Argument value;
};

struct Node {
  std::string target;  // "torch.ops.aten.linear.default"
  std::string name;    // "linear_1"
  std::string module;  // "net.0"; empty: not said
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
};

struct Graph {
  std::vector<std::string> inputs;  // names
  std::vector<Argument> outputs;
  std::vector<Node> nodes;
  std::map<std::string, TensorMeta> tensors;  // by name
};

struct ProgramInput {
  enum class Kind { Parameter, Buffer, Constant, User };
  Kind kind = Kind::User;
  std::string name;    // in the graph
  std::string target;  // "net.0.weight"; of a user's input empty
  bool persistent = true;
};

// A tensor of the state in the order it is kept: state_dict(), then the constants.
struct StateTensor {
  std::string target;
  TensorMeta meta;
};

// What a symbol of a size may be.
struct Range {
  std::optional<std::int64_t> least, most;
};

struct ExportedProgram {
  std::string path;
  std::string member;  // of the archive: "mlp/models/model.json"
  std::string torch_version;
  Graph graph;
  std::vector<ProgramInput> inputs;
  std::vector<Argument> outputs;   // the user's
  std::vector<StateTensor> state;  // empty: the archive does not say the order
  std::map<std::string, Range> ranges;
  bool example_inputs = true;      // are moved to the device with the program
  std::vector<std::string> notes;  // what the estimate says beside its figures
};

// Errors have the path, the archive's member and the place in it: "model.pt2: error:
// mlp/models/model.json: graph_module.graph.nodes[3].target is missing".
Result<ExportedProgram> read_exported(const std::string& path);
Result<ExportedProgram> parse_exported(std::unique_ptr<Bytes> bytes, const std::string& path);

}  // namespace forerun::readers
