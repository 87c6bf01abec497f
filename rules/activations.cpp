#include "rules/activations.h"

#include <algorithm>
#include <map>
#include <set>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

bool keeps_activation(const std::string& callee) {
  static const std::set<std::string> known = {"view",        "reshape",    "flatten",
                                              "squeeze",     "unsqueeze",  "permute",
                                              "transpose",   "contiguous", "t",
                                              "T",           "expand",     "expand_as",
                                              "repeat",      "clone",      "clamp",
                                              "clip",        "clamp_min",  "clamp_max",
                                              "select",      "narrow",     "index_select",
                                              "movedim",     "swapaxes",   "masked_select",
                                              "view_as",     "reshape_as", "unflatten",
                                              "cat",         "stack",      "concat",
                                              "concatenate", "nan_to_num"};
  return known.contains(callee);
}

Activation by_function(const std::string& callee) {
  if (callee == "softmax" || callee == "softmin" || callee == "gumbel_softmax")
    return Activation::Softmax;
  if (callee == "log_softmax") return Activation::LogSoftmax;
  if (callee == "sigmoid" || callee == "hardsigmoid") return Activation::Sigmoid;
  if (callee == "logsigmoid" || callee == "log_sigmoid") return Activation::LogSigmoid;
  if (callee == "relu" || callee == "relu_") return Activation::Relu;
  if (callee == "linear" || callee == "conv1d" || callee == "conv2d" || callee == "conv3d" ||
      callee == "bilinear")
    return Activation::Raw;
  return Activation::Unknown;
}

Activation by_class(const std::string& type) {
  if (type == "Softmax" || type == "Softmax2d" || type == "Softmin") return Activation::Softmax;
  if (type == "LogSoftmax") return Activation::LogSoftmax;
  if (type == "Sigmoid" || type == "Hardsigmoid") return Activation::Sigmoid;
  if (type == "LogSigmoid") return Activation::LogSigmoid;
  if (type == "ReLU") return Activation::Relu;
  static const std::set<std::string> layers = {
      "Linear",     "Conv1d",          "Conv2d",          "Conv3d",         "Bilinear",
      "LazyLinear", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"};
  return layers.contains(type) ? Activation::Raw : Activation::Unknown;
}

class Trace {
 public:
  explicit Trace(const Analysis& of, bool may_guess = true) : of_(of), may_guess_(may_guess) {}

  Activated join(const Values& values) {
    std::optional<Activated> all;
    for (const ValueId one : values) {
      const Activated found = value(one);
      if (all && all->activation != found.activation) return {};
      if (!all) all = found;
    }
    return all.value_or(Activated{});
  }

 private:
  Activated value(ValueId id) {
    if (!visiting_.insert(id).second) return {};
    const Activated found = look(id);
    visiting_.erase(id);
    return found;
  }

  Activated look(ValueId id) {
    const ir::Op* op = of_.maker(id);
    if (op == nullptr) return {};
    const flow::Node& node = of_.node(of_.value(id).def);
    switch (op->kind) {
      case Kind::Tensor:
      case Kind::TensorInPlace: return tensor(*op, node);
      case Kind::Move:
      case Kind::Detach: return join(node.receiver);
      case Kind::Index: return join(node.receiver);
      case Kind::Forward: return forward(id, node);
      case Kind::Arith: return arith(*op, node);
      case Kind::HostRead: return op->callee == "cpu" ? join(node.receiver) : Activated{};
      default: return {};
    }
  }

  Activated tensor(const ir::Op& op, const flow::Node& node) {
    const Values& given =
        op.receiver || node.arguments.empty() ? node.receiver : node.arguments.front();
    if (keeps_activation(op.callee)) {
      if (op.callee != "cat" && op.callee != "stack" && !op.callee.starts_with("concat"))
        return join(given);
      Values parts;
      for (const ValueId one : given) flow::add(parts, of_.value(one).contents);
      return join(parts);
    }
    if (op.callee == "log") return logarithm(join(given), op.at);
    const Activation found = by_function(op.callee);
    return found == Activation::Unknown ? Activated{} : Activated{found, op.at};
  }

  static Activated logarithm(Activated inner, const Location& at) {
    if (inner.activation == Activation::Softmax) return {Activation::LogSoftmax, at};
    if (inner.activation == Activation::Sigmoid) return {Activation::LogSigmoid, at};
    return {};
  }

  // p + eps is still a probability.
  Activated arith(const ir::Op& op, const flow::Node& node) {
    if ((op.callee != "add" && op.callee != "sub") || op.arguments.size() != 2) return {};
    const std::string* small = literal_of(op.arguments[1].value);
    if (small == nullptr || small->find('e') == std::string::npos) return {};
    return join(node.arguments[0]);
  }

  Activated forward(ValueId id, const flow::Node& node) {
    Values inner;
    Values given = node.receiver;
    for (const Values& argument : node.arguments) flow::add(given, argument);
    for (const ValueId one : of_.value(id).inputs) {
      if (!flow::contains(given, one)) flow::add(inner, one);
    }
    if (!inner.empty()) return join(inner);
    std::optional<Activated> all;
    for (const ValueId one : node.receiver) {
      Activated found = module(one, node.op->at, 0);
      if (found.activation == Activation::Unknown) found = guessed(one, node);
      if (all && all->activation != found.activation) return {};
      all = found;
    }
    return all.value_or(Activated{});
  }

  // The last thing a module does.
  Activated module(ValueId id, const Location& at, int depth) {
    const ir::Op* op = of_.maker(id);
    if (op == nullptr || op->kind != Kind::Construct || depth > 6) return {};
    const flow::Node& made = of_.node(of_.value(id).def);
    if (op->callee == "Sequential") {
      if (made.arguments.empty() || op->arguments.back().name == "*") return {};
      Values inside;
      for (const Values& argument : made.arguments) flow::add(inside, argument);
      for (const ValueId later : of_.value(id).contents) {
        if (!flow::contains(inside, later)) return {};  // appended to
      }
      return last(made.arguments.back(), at, depth);
    }
    if (op->callee.find("DataParallel") != std::string::npos && !made.arguments.empty())
      return last(made.arguments.front(), at, depth);
    const Activation found = by_class(op->callee);
    return found == Activation::Unknown ? Activated{} : Activated{found, at};
  }

  Activated last(const Values& modules, const Location& at, int depth) {
    std::optional<Activated> all;
    for (const ValueId one : modules) {
      const Activated found = module(one, at, depth + 1);
      if (all && all->activation != found.activation) return {};
      all = found;
    }
    return all.value_or(Activated{});
  }

  // A model from outside is the program's only one.
  Activated guessed(ValueId module, const flow::Node& node) {
    const flow::Value& one = of_.value(module);
    const bool outside = one.form == flow::Value::Form::Name && one.type == nullptr;
    if (!may_guess_ || !outside || node.op->results.size() != 1 || node.op->kind != Kind::Forward)
      return {};
    const ir::Program& program = *of_.graph().program;
    const ir::Function* forward = nullptr;
    if (const auto said = node.op->details.find("class"); said != node.op->details.end()) {
      forward = method_of(program, said->second, "forward");
    } else if (mentions(one.step, {"net", "model"})) {
      const std::vector<const ir::Class*> models = model_classes(program);
      if (models.size() == 1) forward = method_of(program, models.front()->name, "forward");
    }
    if (forward == nullptr) return {};
    const auto inside = flow::analyse(program, *forward);
    if (!inside->graph().whole) return {};
    return Trace(*inside, false).join(inside->graph().returned);
  }

  const Analysis& of_;
  bool may_guess_;
  std::set<ValueId> visiting_;
};

std::string loss_of_class(const std::string& type) {
  static const std::map<std::string, std::string> known = {
      {"CrossEntropyLoss", "cross_entropy"},
      {"BCELoss", "binary_cross_entropy"},
      {"BCEWithLogitsLoss", "binary_cross_entropy_with_logits"},
      {"NLLLoss", "nll_loss"},
      {"NLLLoss2d", "nll_loss"},
      {"KLDivLoss", "kl_div"},
      {"MSELoss", "mse_loss"},
      {"L1Loss", "l1_loss"},
      {"SmoothL1Loss", "smooth_l1_loss"},
      {"HuberLoss", "huber_loss"}};
  const auto found = known.find(type);
  return found == known.end() ? std::string() : found->second;
}

}  // namespace

std::string_view name(Activation activation) {
  switch (activation) {
    case Activation::Unknown: return "nothing known";
    case Activation::Raw: return "the output of a layer";
    case Activation::Softmax: return "softmax";
    case Activation::LogSoftmax: return "log_softmax";
    case Activation::Sigmoid: return "sigmoid";
    case Activation::LogSigmoid: return "logsigmoid";
    case Activation::Relu: return "relu";
  }
  return "";
}

Activated activation_of(const Analysis& of, const Values& values) { return Trace(of).join(values); }

std::string loss_name(const Analysis& of, NodeId loss) {
  const flow::Node& node = of.node(loss);
  if (!node.op->callee.empty() && node.op->callee != "loss" && !node.op->receiver)
    return node.op->callee == "cross_entropy_loss" ? "cross_entropy" : node.op->callee;
  std::set<std::string> names;
  for (const ValueId one : node.receiver) {
    const ir::Op* made = of.maker(one);
    if (made != nullptr && made->kind == Kind::Construct) {
      names.insert(loss_of_class(made->callee));
    } else if (of.value(one).form != flow::Value::Form::Name) {
      names.insert("");
    }
  }
  if (names.size() > 1) return "";
  if (names.size() == 1) return *names.begin();
  const auto type = node.op->details.find("class");
  return type == node.op->details.end() ? std::string() : loss_of_class(type->second);
}

Values loss_input(const Analysis& of, NodeId loss) {
  const flow::Node& node = of.node(loss);
  for (std::size_t i = 0; i < node.op->arguments.size(); ++i) {
    const std::string& given = node.op->arguments[i].name;
    if (given == "input" || (i == 0 && given.empty())) return node.arguments[i];
  }
  return {};
}

Values loss_target(const Analysis& of, NodeId loss) {
  const flow::Node& node = of.node(loss);
  for (std::size_t i = 0; i < node.op->arguments.size(); ++i) {
    const std::string& given = node.op->arguments[i].name;
    if (given == "target" || (i == 1 && given.empty())) return node.arguments[i];
  }
  return {};
}

}  // namespace forerun::rules
