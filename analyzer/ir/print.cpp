#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyzer/ir/ir.h"

namespace forerun::ir {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

std::string joined(const std::vector<Place>& places) {
  std::vector<std::string> texts;
  for (const Place& place : places) texts.push_back(to_string(place));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string joined(const std::vector<Argument>& arguments) {
  std::vector<std::string> texts;
  for (const Argument& argument : arguments) {
    const std::string value = to_string(argument.value);
    const bool spread = argument.name == "*" || argument.name == "**";
    texts.push_back(argument.name.empty() ? value : argument.name + (spread ? "" : "=") + value);
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

class Printer {
 public:
  std::string text;

  void function(const Function& function, int depth) {
    line(depth,
         fmt::format("function {} ({})", function.name, fmt::join(function.parameters, ", ")));
    block(function.body, depth + 1);
  }

 private:
  void line(int depth, const std::string& words) {
    text.append(static_cast<std::size_t>(depth) * 2, ' ');
    text += words + "\n";
  }

  void block(const Block& block, int depth) {
    for (const Node& node : block) {
      std::visit(Overloaded{
                     [&](const Op& op) { line(depth, print(op)); },
                     [&](const Loop& loop) { print_loop(loop, depth); },
                     [&](const Branch& branch) { print_branch(branch, depth); },
                     [&](const Scope& scope) { print_scope(scope, depth); },
                     [&](const Try& attempt) { print_try(attempt, depth); },
                     [&](const Jump& jump) { print_jump(jump, depth); },
                     [&](const Define& define) { function(*define.function, depth); },
                 },
                 node.value);
    }
  }

  // An empty part of a construct is not printed.
  void part(std::string_view word, const Block& body, int depth) {
    if (body.empty()) return;
    line(depth, std::string(word));
    block(body, depth + 1);
  }

  void print_loop(const Loop& loop, int depth) {
    switch (loop.form) {
      case Loop::Form::Each:
        line(depth, fmt::format("loop {} in {}", joined(loop.targets), to_string(*loop.iterable)));
        break;
      case Loop::Form::Counted:
        line(depth, fmt::format("loop {} to {}", joined(loop.targets), to_string(*loop.iterable)));
        break;
      case Loop::Form::While:
        line(depth,
             loop.condition ? fmt::format("loop while {}", to_string(*loop.condition)) : "loop");
        part("head", loop.head, depth);
        break;
    }
    block(loop.body, depth + 1);
    part("otherwise", loop.otherwise, depth);
  }

  void print_branch(const Branch& branch, int depth) {
    line(depth, fmt::format("branch {}", to_string(branch.condition)));
    block(branch.then_body, depth + 1);
    part("else", branch.else_body, depth);
  }

  void print_scope(const Scope& scope, int depth) {
    std::string words = fmt::format("scope {}", name(scope.form));
    if (scope.form == Scope::Form::Other) words += ":" + scope.callee;
    if (!scope.arguments.empty()) words += fmt::format(" ({})", joined(scope.arguments));
    if (scope.target) words += " as " + to_string(*scope.target);
    line(depth, words);
    block(scope.body, depth + 1);
  }

  void print_try(const Try& attempt, int depth) {
    line(depth, "try");
    block(attempt.body, depth + 1);
    for (const Block& handler : attempt.handlers) {
      line(depth, "handler");
      block(handler, depth + 1);
    }
    part("otherwise", attempt.otherwise, depth);
    part("finally", attempt.finally, depth);
  }

  void print_jump(const Jump& jump, int depth) {
    std::vector<std::string> values;
    for (const Operand& value : jump.values) values.push_back(to_string(value));
    line(depth, values.empty() ? std::string(name(jump.form))
                               : fmt::format("{} {}", name(jump.form), fmt::join(values, ", ")));
  }
};

}  // namespace

std::string_view name(Kind kind) {
  static constexpr std::string_view kNames[] = {
#define KIND(enumerator, text, meaning) text,
#include "analyzer/ir/kinds.def"
  };
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kind_from_name(std::string_view word) {
#define KIND(enumerator, text, meaning) \
  if (word == (text)) return Kind::enumerator;
#include "analyzer/ir/kinds.def"
  return std::nullopt;
}

std::string_view name(Role role) {
  switch (role) {
    case Role::Unknown: return "unknown";
    case Role::Tensor: return "tensor";
    case Role::Module: return "module";
    case Role::Optimizer: return "optimizer";
    case Role::Scheduler: return "scheduler";
    case Role::Scaler: return "scaler";
    case Role::Loader: return "loader";
    case Role::LossModule: return "loss_module";
    case Role::Number: return "number";
    case Role::Text: return "text";
    case Role::Container: return "container";
    case Role::Other: return "other";
  }
  return "";
}

std::string_view name(Scope::Form form) {
  switch (form) {
    case Scope::Form::NoGrad: return "no_grad";
    case Scope::Form::EnableGrad: return "enable_grad";
    case Scope::Form::InferenceMode: return "inference_mode";
    case Scope::Form::SetGradEnabled: return "set_grad_enabled";
    case Scope::Form::Autocast: return "autocast";
    case Scope::Form::Other: return "with";
  }
  return "";
}

std::string_view name(Jump::Form form) {
  switch (form) {
    case Jump::Form::Return: return "return";
    case Jump::Form::Break: return "break";
    case Jump::Form::Continue: return "continue";
    case Jump::Form::Raise: return "raise";
    case Jump::Form::Yield: return "yield";
  }
  return "";
}

std::string to_string(const Place& place) {
  std::string text = place.root;
  for (const std::string& step : place.steps) text += step == "[]" ? step : "." + step;
  return text;
}

std::string to_string(const Operand& operand) {
  return std::visit(Overloaded{
                        [](const Place& place) { return to_string(place); },
                        [](const Literal& literal) { return literal.text; },
                        [](const FunctionReference& function) { return "&" + function.name; },
                        [](const Opaque&) { return std::string("?"); },
                    },
                    operand);
}

std::string print(const Op& op) {
  std::string text = op.results.empty() ? "" : joined(op.results) + " = ";
  if (op.kind == Kind::Assign) return text + to_string(op.arguments.at(0).value);
  text += name(op.kind);
  if (!op.callee.empty() && op.callee != name(op.kind)) text += ":" + op.callee;
  if (op.receiver) text += " " + to_string(*op.receiver);
  if (!op.arguments.empty()) text += fmt::format(" ({})", joined(op.arguments));
  return text;
}

std::string print(const Function& function) {
  Printer printer;
  printer.function(function, 0);
  return printer.text;
}

std::string print(const Program& program) {
  Printer printer;
  for (const Function& function : program.functions) printer.function(function, 0);
  return printer.text;
}

}  // namespace forerun::ir
