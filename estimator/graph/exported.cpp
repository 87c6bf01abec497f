#include "estimator/graph/exported.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "estimator/graph/aten.h"
#include "estimator/readers/onnx.h"

namespace forerun::graph {
namespace {

using readers::Argument;
using readers::ExportedProgram;
using readers::Node;
using readers::ProgramInput;
using readers::Size;
using readers::TensorMeta;

// What symbols of sizes stand for, and where each value came from.
class Symbols {
 public:
  std::optional<std::int64_t> value(const Size& size) const {
    if (size.value) return size.value;
    const auto known = values_.find(size.symbol);
    return known == values_.end() ? std::nullopt : std::optional(known->second);
  }
  void set(const std::string& symbol, std::int64_t value) { values_[symbol] = value; }

 private:
  std::map<std::string, std::int64_t> values_;
};

std::string spelled(const TensorMeta& meta) {
  std::string text;
  for (const Size& size : meta.sizes) {
    if (!text.empty()) text += ", ";
    text += size.value ? std::to_string(*size.value) : size.symbol.empty() ? "?" : size.symbol;
  }
  return "[" + text + "]";
}

// "net.0.weight" -> "net.0", "weight"
std::pair<std::string, std::string> module_and_role(const std::string& target) {
  const auto dot = target.rfind('.');
  if (dot == std::string::npos) return {"", target};
  return {target.substr(0, dot), target.substr(dot + 1)};
}

// Calls `use` with every tensor that the node reads.
template <class Use>
void for_each_operand(const Argument& argument, Use use) {
  if (argument.kind == Argument::Kind::Tensor) use(argument.text);
  for (const std::string& one : argument.names)
    if (!one.empty()) use(one);
}

class Program {
 public:
  Program(Builder& builder, const Spec& spec, const ExportedProgram& program)
      : b_(builder), spec_(spec), program_(program) {}

  Name run() {
    check_framework();
    b_.graph().places[""] = spec_.source->at;
    for (const std::string& note : program_.notes) b_.note(note);
    if (!b_.failed()) make_state();
    if (!b_.failed()) bind_batch();
    if (!b_.failed()) make_batch();
    if (!b_.failed()) run_nodes(program_.graph);
    return b_.failed() ? Name{} : result();
  }

 private:
  void fail(const std::string& what, std::string accepted = {}) {
    b_.fail(error_at(spec_.source->at, fmt::format("'{}': {}", program_.path, what),
                     std::move(accepted)));
  }

  void check_framework() {
    if (spec_.framework.frontend == Framework::Frontend::LibTorch)
      b_.fail(error_at(spec_.framework.at, "an exported program is run by Python",
                       "framework: pytorch-2.11"));
    if (spec_.checkpoint)
      b_.fail(error_at({spec_.path, {}, {}}, "checkpoint: an exported program has no blocks",
                       "no checkpoint"));
  }

  const TensorMeta* meta_of(const std::string& name) {
    const auto found = program_.graph.tensors.find(name);
    if (found != program_.graph.tensors.end()) return &found->second;
    fail(fmt::format("the tensor '{}' is not described", name));
    return nullptr;
  }

  // --- state ---

  // The shape of a tensor that is there before the program runs.
  Shape fixed_shape(const std::string& name, const TensorMeta& meta) {
    Shape shape;
    for (const Size& size : meta.sizes) {
      if (!size.value || *size.value < 0) {
        fail(fmt::format("'{}' has no fixed shape: {}", name, spelled(meta)));
        return {};
      }
      shape.push_back(*size.value);
    }
    if (!meta.dtype) fail(fmt::format("'{}' has an element type that is not modelled", name));
    check_contiguous(name, meta);
    return shape;
  }

  void check_contiguous(const std::string& name, const TensorMeta& meta) {
    std::int64_t step = 1;
    for (std::size_t i = meta.sizes.size(); i-- > 0;) {
      const std::optional<std::int64_t> size = meta.sizes[i].value;
      if (i >= meta.strides.size() || !meta.strides[i].value) return;
      if (size != 1 && *meta.strides[i].value != step)
        return fail(fmt::format("'{}' is not contiguous: that is not modelled", name));
      if (!size || *size > (1ll << 40)) return;
      step = std::min<std::int64_t>(step * std::max<std::int64_t>(*size, 1), 1ll << 40);
    }
  }

  // torch.export.load, move_to_device_pass(program, "cuda"), program.module(): the state in its
  // order, then the example inputs, which go with the program.
  void make_state() {
    std::map<std::string, const ProgramInput*> used;
    for (const ProgramInput& input : program_.inputs)
      if (input.kind != ProgramInput::Kind::User) used[input.target] = &input;
    std::vector<Name> held;
    std::set<std::string> made;
    for (const readers::StateTensor& one : program_.state) {
      const auto input = used.find(one.target);
      if (!made.insert(one.target).second) continue;
      if (input != used.end())
        make_one(*input->second);
      else
        held.push_back(temporary(one.target, one.meta));
    }
    for (const ProgramInput& input : program_.inputs) {
      if (input.kind != ProgramInput::Kind::User && made.insert(input.target).second)
        make_one(input);
    }
    order_parameters();
    for (const ProgramInput& input : program_.inputs) {
      const TensorMeta* meta = meta_of(input.name);
      if (program_.example_inputs && meta != nullptr && input.kind == ProgramInput::Kind::User)
        held.push_back(temporary(input.name, hinted(*meta)));
    }
    for (Name& one : held) one.reset();
    b_.forward_begins();
    check_precision();
  }

  static TensorMeta hinted(TensorMeta meta) {
    for (Size& size : meta.sizes)
      if (!size.value) size.value = size.hint.value_or(1);
    meta.strides.clear();
    return meta;
  }

  Name temporary(const std::string& name, const TensorMeta& meta) {
    Shape shape = fixed_shape(name, meta);
    if (b_.failed()) return {};
    return fn::zeros(b_, std::move(shape), *meta.dtype);
  }

  void make_one(const ProgramInput& input) {
    const TensorMeta* meta = meta_of(input.name);
    if (meta == nullptr) return;
    Shape shape = fixed_shape(input.target, *meta);
    if (b_.failed()) return;
    const auto [module, role] = module_and_role(input.target);
    const Builder::Scope scope(b_, module);
    const bool trains = input.kind == ProgramInput::Kind::Parameter && meta->requires_grad;
    made_[input.name] = b_.made();
    Name tensor = trains ? b_.weight(role, std::move(shape), *meta->dtype)
                         : b_.state(role, std::move(shape), *meta->dtype);
    scope_.tensors[input.name] = std::move(tensor);
    if (trains) scope_.trains.insert(input.name);
  }

  // module.parameters(): a module's own, then those of its children, which were registered as the
  // graph first names them.
  void order_parameters() {
    struct Module {
      std::vector<int> own;
      std::vector<std::string> names;
      std::map<std::string, Module> children;
    };
    Module root;
    for (const ProgramInput& input : program_.inputs) {
      const auto index = made_.find(input.name);
      if (index == made_.end()) continue;
      Module* at = &root;
      std::string left = input.target;
      for (auto dot = left.find('.'); dot != std::string::npos; dot = left.find('.')) {
        const std::string name = left.substr(0, dot);
        if (at->children.count(name) == 0) at->names.push_back(name);
        at = &at->children[name];
        left = left.substr(dot + 1);
      }
      at->own.push_back(index->second);
    }
    std::vector<int>& order = b_.graph().trained_order;
    order.clear();
    std::vector<const Module*> next{&root};
    while (!next.empty()) {
      const Module* one = next.back();
      next.pop_back();
      order.insert(order.end(), one->own.begin(), one->own.end());
      for (auto name = one->names.rbegin(); name != one->names.rend(); ++name)
        next.push_back(&one->children.at(*name));
    }
  }

  void check_precision() {
    const bool low = spec_.precision == Precision::Bf16;
    const DType asked = low ? DType::BFloat16 : DType::Float32;
    std::optional<DType> other;
    for (const Parameter& one : b_.graph().parameters) {
      if (!one.trainable) continue;
      if (one.dtype == asked) return;
      other = one.dtype;
    }
    if (!other) return fail("it has no parameters to train");
    fail(fmt::format("its parameters are {}, but precision: {} trains {}", forerun::name(*other),
                     forerun::name(spec_.precision), forerun::name(asked)),
         *other == DType::BFloat16 ? "precision: bf16" : "a program exported in that type");
  }

  // --- batch ---

  // Sizes that were left open when the program was exported: the batch's, and those of the input
  // that the spec names.
  void bind_batch() {
    bool first = true;
    for (const ProgramInput& input : program_.inputs) {
      if (input.kind != ProgramInput::Kind::User) continue;
      const TensorMeta* meta = meta_of(input.name);
      if (meta == nullptr) return;
      if (!first) continue;
      first = false;
      if (meta->sizes.empty()) return fail("its first input has no dimension of a batch");
      bind(input.name, meta->sizes[0], spec_.batch_size, "batch_size");
      bind_input(input.name, *meta);
    }
    if (first) fail("it has no inputs");
  }

  void bind_input(const std::string& name, const TensorMeta& meta) {
    if (spec_.input.at.file.empty() || b_.failed()) return;
    const Shape& given = spec_.input.shape;
    if (given.size() + 1 != meta.sizes.size() || spec_.input.dtype != meta.dtype) {
      b_.fail(error_at(spec_.input.at,
                       fmt::format("the program's input '{}' is {} {}, batch first", name,
                                   meta.dtype ? forerun::name(*meta.dtype) : "?", spelled(meta)),
                       "no 'input', or one of that shape and dtype"));
      return;
    }
    for (std::size_t i = 0; i < given.size(); ++i)
      bind(name, meta.sizes[i + 1], given[i], "input.shape");
  }

  void bind(const std::string& name, const Size& size, std::int64_t value, const char* key) {
    const auto known = symbols_.value(size);
    if (known && *known != value) {
      const bool of_batch = std::string(key) == "batch_size";
      return fail(
          fmt::format("{} asks for {}, but its input '{}' has {} there", key, value, name, *known),
          of_batch ? "batch_size: " + std::to_string(*known) +
                         ", or a program exported with a dynamic batch"
                   : "");
    }
    if (known) return;
    if (size.symbol.empty())
      return fail(
          fmt::format("the size of its input '{}' is a formula: that is not modelled", name));
    const auto range = program_.ranges.find(size.symbol);
    if (range != program_.ranges.end() &&
        (range->second.least.value_or(value) > value || range->second.most.value_or(value) < value))
      return fail(fmt::format("{} asks for {}, which the program was not exported for", key, value),
                  range->second.most
                      ? fmt::format("at least {} and at most {}", range->second.least.value_or(0),
                                    *range->second.most)
                      : fmt::format("at least {}", range->second.least.value_or(0)));
    symbols_.set(size.symbol, value);
  }

  void make_batch() {
    bool first = true;
    for (const ProgramInput& input : program_.inputs) {
      if (input.kind != ProgramInput::Kind::User) continue;
      const TensorMeta* meta = meta_of(input.name);
      if (meta == nullptr) return;
      Shape shape = bound_shape(input.name, *meta);
      if (b_.failed()) return;
      Name tensor = first ? b_.data(input.name, std::move(shape), *meta->dtype)
                          : b_.more_data(input.name, std::move(shape), *meta->dtype);
      first = false;
      scope_.tensors[input.name] = std::move(tensor);
    }
  }

  Shape bound_shape(const std::string& name, const TensorMeta& meta) {
    Shape shape;
    for (const Size& size : meta.sizes) {
      const auto value = symbols_.value(size);
      if (!value || *value < 1) {
        fail(fmt::format("its input '{}' is {}, and the spec does not say all of it", name,
                         spelled(meta)),
             "input: {shape: [...]} with the sizes of one sample");
        return {};
      }
      shape.push_back(*value);
    }
    if (!meta.dtype) fail(fmt::format("its input '{}' has an unknown element type", name));
    return shape;
  }

  // --- nodes ---

  void run_nodes(const readers::Graph& graph) {
    std::map<std::string, std::size_t> last_use;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const auto use = [&](const std::string& name) { last_use[name] = i; };
      for (const Argument& output : graph.nodes[i].outputs) for_each_operand(output, use);
      for (const readers::NamedArgument& input : graph.nodes[i].inputs)
        for_each_operand(input.value, use);
    }
    const auto forever = [&](const std::string& name) { last_use[name] = graph.nodes.size(); };
    for (const Argument& output : graph.outputs) for_each_operand(output, forever);
    for (std::size_t i = 0; i < graph.nodes.size() && !b_.failed(); ++i) {
      run_node(graph, graph.nodes[i]);
      const auto forget = [&](const std::string& name) {
        if (last_use[name] == i) scope_.tensors.erase(name);
      };
      for (const readers::NamedArgument& input : graph.nodes[i].inputs)
        for_each_operand(input.value, forget);
      for (const Argument& output : graph.nodes[i].outputs) for_each_operand(output, forget);
    }
  }

  void run_node(const readers::Graph& graph, const Node& node) {
    const Builder::Scope scope(b_, node.module.empty() ? node.name : node.module);
    b_.graph().places[b_.where()] = spec_.source->at;
    const AtenCall call(b_, node, scope_);
    if (run_size(call, node)) return;
    const AtenOperator* known = find_aten(node.target);
    if (known == nullptr) {
      call.refuse("this operator is not modelled");
      return;
    }
    std::vector<Name> results = known->run(call);
    if (!b_.failed()) assign(graph, call, node, std::move(results));
  }

  // A node that computes a size, not a tensor.
  bool run_size(const AtenCall& call, const Node& node) {
    if (node.outputs.size() != 1 || node.outputs[0].kind != Argument::Kind::Integer) return false;
    const auto value = size_of(call, node.target);
    if (!value)
      call.refuse("how it computes a size is not modelled");
    else
      scope_.integers[node.outputs[0].integers[0].name] = *value;
    return true;
  }

  static std::optional<std::int64_t> size_of(const AtenCall& call, const std::string& target) {
    if (target == "torch.ops.aten.sym_size.int") {
      const Name x = call.tensor("self");
      return x.size(static_cast<int>(call.dim(x, "dim", 0)));
    }
    if (target == "torch.ops.aten.sym_numel.default")
      return numel(call.tensor("self").shape()).value_or(0);
    const std::int64_t a = call.integer("a", call.integer("0", 0));
    const std::int64_t b = call.integer("b", call.integer("1", 1));
    if (target == "_operator.mul") return a * b;
    if (target == "_operator.add") return a + b;
    if (target == "_operator.sub") return a - b;
    if (target == "_operator.floordiv" && b > 0) return a / b;
    if (target == "_operator.mod" && b > 0) return a % b;
    if (target == "torch.sym_max") return std::max(a, b);
    if (target == "torch.sym_min") return std::min(a, b);
    return std::nullopt;
  }

  void assign(const readers::Graph& graph, const AtenCall& call, const Node& node,
              std::vector<Name> results) {
    std::vector<std::string> names;
    for (const Argument& output : node.outputs) {
      if (output.kind == Argument::Kind::Tensor) names.push_back(output.text);
      names.insert(names.end(), output.names.begin(), output.names.end());
    }
    const bool trains = call.trains();
    for (std::size_t i = 0; i < names.size() && i < results.size(); ++i) {
      if (names[i].empty() || !results[i]) continue;
      if (trains && is_floating(results[i].dtype()) &&
          node.target != "torch.ops.aten.detach.default")
        scope_.trains.insert(names[i]);
      check_result(graph, call, names[i], results[i]);
      scope_.tensors[names[i]] = std::move(results[i]);
    }
  }

  // The archive knows what shape comes out; where ours differs, ours is wrong.
  void check_result(const readers::Graph& graph, const AtenCall& call, const std::string& name,
                    const Name& made) {
    const auto found = graph.tensors.find(name);
    if (found == graph.tensors.end()) return;
    const TensorMeta& meta = found->second;
    bool same = meta.sizes.size() == made.shape().size();
    for (std::size_t i = 0; same && i < meta.sizes.size(); ++i) {
      const auto value = symbols_.value(meta.sizes[i]);
      same = !value || *value == made.shape()[i];
    }
    if (!same)
      return call.refuse(fmt::format("its result is {}, where the archive says {}: not modelled",
                                     to_string(made.shape()), spelled(meta)));
    if (!b_.mixed_precision() && meta.dtype && *meta.dtype != made.dtype())
      call.refuse(fmt::format("its result is {}, where the archive says {}: not modelled",
                              forerun::name(made.dtype()), forerun::name(*meta.dtype)));
  }

  // --- result ---

  Name result() {
    for (const Argument& output : program_.outputs) {
      Name first;
      for_each_operand(output, [&](const std::string& name) {
        const auto known = scope_.tensors.find(name);
        if (!first && known != scope_.tensors.end()) first = known->second;
      });
      if (!first) continue;
      scope_ = {};
      return first;
    }
    fail("it returns no tensor");
    return {};
  }

  Builder& b_;
  const Spec& spec_;
  const ExportedProgram& program_;
  AtenScope scope_;
  std::map<std::string, int> made_;  // a parameter's place, by its name in the graph
  Symbols symbols_;
};

}  // namespace

Result<std::shared_ptr<const ExportedProgram>> program_of(const ModelSource& source) {
  if (source.program) return source.program;
  auto read = source.kind == ModelSource::Kind::Onnx ? readers::read_onnx(source.name)
                                                     : readers::read_exported(source.name);
  if (read) return std::make_shared<const ExportedProgram>(std::move(*read));
  Error problem = read.error();
  if (problem.message.rfind("cannot open", 0) == 0)
    return error_at(source.at, fmt::format("'{}': {}", source.name, problem.message));
  return problem;
}

Result<Name> run_exported(Builder& builder, const Spec& spec, const ExportedProgram& program) {
  Name made = Program(builder, spec, program).run();
  if (!builder.failed()) return made;
  Error problem = builder.error();
  if (problem.where.file.empty()) problem.where = {program.path, {}, {}};
  return problem;
}

}  // namespace forerun::graph
