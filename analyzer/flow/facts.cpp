#include "analyzer/flow/facts.h"

#include <algorithm>
#include <set>

#include "analyzer/flow/names.h"

namespace forerun::flow {
namespace {

using ir::Kind;

bool is_plain(ir::Role role) {
  return role == ir::Role::Number || role == ir::Role::Text || role == ir::Role::Optimizer ||
         role == ir::Role::Scheduler || role == ir::Role::Scaler || role == ir::Role::Module ||
         role == ir::Role::LossModule;
}

bool names_a_device(const std::string& text) {
  for (const char* word : {"device", "cuda", "gpu", "rank", "dev"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

// Questions about a tensor that are answered without its bytes, where they are read as members.
bool is_metadata(const std::string& member) {
  static const std::set<std::string> known = {"shape",   "device",    "dtype",         "ndim",
                                              "is_cuda", "is_leaf",   "requires_grad", "grad_fn",
                                              "layout",  "is_sparse", "is_quantized",  "is_meta",
                                              "names",   "itemsize",  "nbytes",        "is_cpu"};
  return known.contains(member);
}

// math.pi, np.float32: what these modules hold is no tensor.
bool of_numbers(const Value& name) {
  return name.step == "math" || name.step == "np" || name.step == "numpy";
}

bool names_the_host(const std::string& text) {
  return text == "\"cpu\"" || text == "cpu" || text.find("kCPU") != std::string::npos;
}

}  // namespace

Facts::Facts(const Analysis& analysis)
    : history(analysis.graph().values.size(), History::None),
      device(analysis.graph().values.size(), Device::Host),
      analysis_(analysis),
      graph_(analysis.graph()),
      backwarded_(graph_.values.size(), false),
      moved_(graph_.values.size(), false),
      frozen_(graph_.values.size(), false) {
  for (const Node& node : graph_.nodes) {
    if (node.is(Kind::Backward)) {
      for (const ValueId value : node.receiver) backwarded_[static_cast<std::size_t>(value)] = true;
    }
    // A change of type (double, half) stays where it is; `to` of something unknown may go anywhere.
    if (node.is(Kind::Move) && (node.op->callee == "to" || node.op->callee == "cuda") &&
        moved_to(node) != Device::Host) {
      for (const ValueId value : node.receiver) moved_[static_cast<std::size_t>(value)] = true;
    }
    if (node.is(Kind::RequiresGrad) && literal_argument(*node.op, "requires_grad", 0) == "false") {
      for (const ValueId value : node.receiver) frozen_[static_cast<std::size_t>(value)] = true;
    }
    // A module handed to code that is not seen may come back anywhere.
    if (node.is(Kind::Call) && !node.expanded && !is_harmless(node.op->callee)) {
      for (const Values& given : node.arguments) {
        for (const ValueId value : given) moved_[static_cast<std::size_t>(value)] = true;
      }
    }
  }
  run();
}

// Facts only grow, so the order does not matter; loops need a few rounds.
void Facts::run() {
  bool changed = true;
  for (int round = 0; changed && round < 64; ++round) {
    changed = false;
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.values.size()); ++id) {
      const auto at = static_cast<std::size_t>(id);
      const History carries = std::max(history[at], history_of(id));
      const Device lives = std::max(device[at], device_of(id));
      changed |= carries != history[at] || lives != device[at];
      history[at] = carries;
      device[at] = lives;
    }
  }
}

History Facts::joined(const Values& values) const {
  History most = History::None;
  for (const ValueId value : values)
    most = std::max(most, history[static_cast<std::size_t>(value)]);
  return most;
}

Device Facts::joined_device(const Values& values) const {
  Device most = Device::Host;
  for (const ValueId value : values) most = std::max(most, device[static_cast<std::size_t>(value)]);
  return most;
}

History Facts::history_of(ValueId id) const {
  const Value& value = graph_.values[static_cast<std::size_t>(id)];
  if (backwarded_[static_cast<std::size_t>(id)]) return History::Graph;
  if (value.type == nullptr) {
    const History inside = joined(value.contents);
    if (inside == History::Graph) return inside;
  }
  if (is_plain(value.role)) return History::None;
  switch (value.form) {
    case Value::Form::Function: return History::None;
    case Value::Form::Name: return of_numbers(value) ? History::None : History::Maybe;
    case Value::Form::Member: {
      if (value.step == "grad" || value.step == "data" || is_metadata(value.step))
        return History::None;
      const Value& base = graph_.values[static_cast<std::size_t>(value.base)];
      if (base.form == Value::Form::Name) return of_numbers(base) ? History::None : History::Maybe;
      if (base.type != nullptr) return History::Maybe;
      return history[static_cast<std::size_t>(value.base)];
    }
    case Value::Form::Element: {
      const Node& head = graph_.nodes[static_cast<std::size_t>(value.def)];
      if (head.loop_ir != nullptr && head.loop_ir->form == ir::Loop::Form::Counted)
        return History::None;
      return std::max(joined(value.inputs), head.receiver.empty() ? History::Maybe : History::None);
    }
    case Value::Form::Result:
      return result_history(value, graph_.nodes[static_cast<std::size_t>(value.def)]);
  }
  return History::Maybe;
}

bool Facts::is_frozen(ValueId module) const { return frozen_[static_cast<std::size_t>(module)]; }

// A module's parameters put its result in a graph; one without parameters, or with frozen ones,
// passes on what it is given.
History Facts::forward_history(const Node& node) const {
  History given = History::None;
  for (const Values& argument : node.arguments) given = std::max(given, joined(argument));
  bool own = node.receiver.empty();
  for (const ValueId module : node.receiver) {
    const ir::Op* maker = analysis_.maker(module);
    const bool parameterless =
        maker != nullptr && maker->kind == Kind::Construct && has_no_parameters(maker->callee);
    own |= !parameterless && !is_frozen(module);
  }
  if (own) return History::Graph;
  return given == History::Leaf ? History::Graph : given;
}

History Facts::result_history(const Value& value, const Node& node) const {
  if (node.op == nullptr) return joined(value.inputs);  // what a scope or an entry binds
  if (node.grad == Grad::Off) return History::None;
  const History given = joined(value.inputs);
  const History most = node.grad == Grad::Unknown ? History::Maybe : History::Graph;
  switch (node.op->kind) {
    case Kind::Forward: return std::min(most, forward_history(node));
    case Kind::Parameters: return History::Leaf;
    case Kind::RequiresGrad: return History::Leaf;
    case Kind::Loss:
    case Kind::Tensor:
    case Kind::TensorInPlace:
    case Kind::Arith:
      if (!is_differentiable(*node.op)) return History::None;
      return std::min(most, given == History::Leaf ? History::Graph : given);
    case Kind::Move:
      if (!is_differentiable(*node.op)) return History::None;
      return given;
    case Kind::ScaleLoss:
    case Kind::Index:
    case Kind::Unpack:
    case Kind::Remove:
    case Kind::Pack: return given;
    case Kind::Construct:  // since 0.4 a Variable is the tensor it is made of
      return node.op->callee == "Variable" ? given : History::None;
    case Kind::HostRead: return node.op->callee == "cpu" ? given : History::None;
    case Kind::AutogradGrad:
      return literal_argument(*node.op, "create_graph", 99) == "true"
                 ? std::min(most, History::Graph)
                 : History::None;
    case Kind::Call:
      if (node.expanded) return joined(value.inputs);  // a tuple of what it returned
      if (passes_through(node.op->callee))
        return node.op->callee == "sum" && given == History::Leaf ? History::Graph : given;
      return is_harmless(node.op->callee) ? History::None : History::Maybe;
    default: return History::None;
  }
}

// Where a move goes; Maybe when it only changes the type, or nothing tells.
Device Facts::moved_to(const Node& node) const {
  if (node.op->callee == "cuda") return Device::Device;
  if (node.op->callee != "to") return Device::Maybe;
  for (std::size_t i = 0; i < node.op->arguments.size(); ++i) {
    const ir::Argument& argument = node.op->arguments[i];
    const std::string text = ir::to_string(argument.value);
    if (names_the_host(text)) return Device::Host;
    if (argument.name == "dtype" || argument.name == "non_blocking") continue;
    for (const ValueId value : node.arguments[i]) {
      const ir::Op* maker = analysis_.maker(value);
      if (maker == nullptr || maker->callee != "device" || maker->arguments.empty()) continue;
      return names_the_host(ir::to_string(maker->arguments.front().value)) ? Device::Host
                                                                           : Device::Device;
    }
    if (argument.name == "device" || names_a_device(text)) return Device::Device;
  }
  return Device::Maybe;
}

bool Facts::on_host(ValueId module) const {
  const auto [known, is_new] = on_host_.try_emplace(module, false);
  if (is_new) known->second = look_for_moves(module);
  return known->second;
}

bool Facts::look_for_moves(ValueId module) const {
  const Value& value = graph_.values[static_cast<std::size_t>(module)];
  if (value.form != Value::Form::Result || moved_[static_cast<std::size_t>(module)]) return false;
  const ir::Op* maker = analysis_.maker(module);
  if (maker == nullptr || (maker->kind != Kind::Construct && value.type == nullptr)) return false;
  // A part of something that was moved, or a wrapper of it, went along.
  for (const ValueId part : analysis_.sources({module})) {
    if (moved_[static_cast<std::size_t>(part)]) return false;
  }
  for (std::size_t other = 0; other < graph_.values.size(); ++other) {
    const Value& holder = graph_.values[other];
    if (moved_[other] && (contains(holder.holds, module) || contains(holder.contents, module)))
      return false;
  }
  return true;
}

Device Facts::device_of(ValueId id) const {
  const Value& value = graph_.values[static_cast<std::size_t>(id)];
  if (is_plain(value.role)) return Device::Host;
  switch (value.form) {
    case Value::Form::Function: return Device::Host;
    case Value::Form::Name:
      return backwarded_[static_cast<std::size_t>(id)] ? Device::Device : Device::Maybe;
    case Value::Form::Member: {
      if (is_metadata(value.step)) return Device::Host;
      const Value& base = graph_.values[static_cast<std::size_t>(value.base)];
      if (base.form == Value::Form::Name || base.type != nullptr) return Device::Maybe;
      return device[static_cast<std::size_t>(value.base)];
    }
    case Value::Form::Element: {
      const Node& head = graph_.nodes[static_cast<std::size_t>(value.def)];
      if (head.loop_ir != nullptr && head.loop_ir->form == ir::Loop::Form::Counted)
        return Device::Host;
      // What a loader gives is on the host until it is moved; the elements of a tensor are where it
      // is.
      return joined_device(value.inputs);
    }
    case Value::Form::Result:
      return result_device(value, graph_.nodes[static_cast<std::size_t>(value.def)]);
  }
  return Device::Maybe;
}

Device Facts::result_device(const Value& value, const Node& node) const {
  if (node.op == nullptr) return Device::Maybe;
  const Device given = joined_device(value.inputs);
  switch (node.op->kind) {
    case Kind::Forward: {
      for (const ValueId module : node.receiver) {
        if (!on_host(module)) return Device::Device;
      }
      return node.receiver.empty() ? Device::Device : Device::Host;
    }
    case Kind::Parameters:
    case Kind::GradRead: {
      for (const ValueId module : node.receiver) {
        if (!on_host(module)) return Device::Device;
      }
      return Device::Host;
    }
    case Kind::Move: {
      const Device to = moved_to(node);
      return to == Device::Maybe ? given : to;
    }
    case Kind::Tensor: {
      const std::string where = [&] {
        for (const ir::Argument& argument : node.op->arguments) {
          if (argument.name == "device") return ir::to_string(argument.value);
        }
        return std::string();
      }();
      if (!where.empty()) return names_the_host(where) ? Device::Host : Device::Device;
      return given;
    }
    case Kind::Arith:
      // Identity and membership are questions about the object, answered without its bytes.
      if (node.op->callee == "is" || node.op->callee == "is_not" || node.op->callee == "in" ||
          node.op->callee == "not_in")
        return Device::Host;
      // Nor is what is compared with a text a tensor.
      for (const ir::Argument& argument : node.op->arguments) {
        const std::string text = ir::to_string(argument.value);
        if (text == "none" || text.starts_with('"')) return Device::Host;
      }
      return given;
    case Kind::Loss:
    case Kind::TensorInPlace:
    case Kind::Detach:
    case Kind::ScaleLoss:
    case Kind::Index:
    case Kind::Unpack:
    case Kind::Remove:
    case Kind::AutogradGrad: return given;
    case Kind::ClipGrad: return Device::Device;
    case Kind::Call:
      if (node.expanded || passes_through(node.op->callee)) return given;
      // A loss made by code that is not seen: certainly computed from the model when it is run
      // backward.
      if (std::any_of(node.results.begin(), node.results.end(), [&](const Values& made) {
            return std::any_of(made.begin(), made.end(), [&](ValueId one) {
              return backwarded_[static_cast<std::size_t>(one)];
            });
          })) {
        return Device::Device;
      }
      return is_harmless(node.op->callee) ? Device::Host : Device::Maybe;
    default: return Device::Host;
  }
}

}  // namespace forerun::flow
