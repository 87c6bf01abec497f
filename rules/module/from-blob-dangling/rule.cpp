#include "rules/rule.h"

#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using ir::Kind;

// What a function knows of its own buffers, by name.
class Buffers {
 public:
  struct View {
    const ir::Op* op = nullptr;
    std::string owner;
  };

  Buffers(const ir::Function& function, Findings& found) : found_(found) {
    for (const std::string& parameter : function.parameters) parameters_.insert(parameter);
    block(function.body);
  }

 private:
  void block(const ir::Block& block) {
    for (const ir::Node& node : block)
      std::visit([this](const auto& value) { see(value); }, node.value);
  }
  void see(const ir::Loop& loop) { block(loop.body); }
  void see(const ir::Branch& branch) {
    block(branch.then_body);
    block(branch.else_body);
  }
  void see(const ir::Scope& scope) { block(scope.body); }
  void see(const ir::Try& attempt) { block(attempt.body); }
  void see(const ir::Define&) {}

  // data() of a container that is declared here, or an array that is.
  const std::string* local_buffer(const ir::Operand& operand) const {
    const ir::Place* place = place_of(operand);
    if (place == nullptr || !place->steps.empty()) return nullptr;
    if (const auto data = data_of_.find(place->root); data != data_of_.end()) return &data->second;
    const auto array = locals_.find(place->root);
    return array == locals_.end() ? nullptr : &*array;
  }

  std::optional<View> viewed(const ir::Op& op) const {
    const ir::Place* receiver = op.receiver ? place_of(*op.receiver) : nullptr;
    if (op.callee == "from_blob") {
      for (const ir::Argument& one : op.arguments) {
        if (std::holds_alternative<ir::FunctionReference>(one.value))
          return std::nullopt;  // a deleter
      }
      const std::string* owner =
          op.arguments.empty() ? nullptr : local_buffer(op.arguments.front().value);
      if (owner != nullptr) return View{&op, *owner};
      return std::nullopt;
    }
    if (keeps_storage(op) && receiver != nullptr) return known(*receiver);
    if (!bundles(op)) return std::nullopt;
    for (const ir::Argument& one : op.arguments) {
      const ir::Place* place = place_of(one.value);
      if (place == nullptr) continue;
      if (const auto view = known(*place)) return view;
    }
    return std::nullopt;
  }
  std::optional<View> known(const ir::Place& place) const {
    const auto found = place.steps.empty() ? views_.find(place.root) : views_.end();
    return found == views_.end() ? std::nullopt : std::optional(found->second);
  }

  void see(const ir::Op& op) {
    const ir::Place* receiver = op.receiver ? place_of(*op.receiver) : nullptr;
    const std::optional<View> view = viewed(op);
    if (op.kind == Kind::Append && receiver != nullptr && view) return append(*receiver, *view, op);
    if (op.results.size() != 1) return;
    const ir::Place& to = op.results.front();
    if (view && to.root == "self") return report(*view, op.at, "it is kept in a member here");
    if (!to.steps.empty()) return;
    views_.erase(to.root);
    data_of_.erase(to.root);
    if (view) views_.insert_or_assign(to.root, *view);
    const bool points_into = receiver != nullptr && receiver->steps.empty() &&
                             locals_.contains(receiver->root) &&
                             (op.callee == "data" || op.callee == "begin" ||
                              op.callee == "data_ptr" || op.kind == Kind::Index);
    if (points_into) data_of_[to.root] = receiver->root;
    if (makes_container(op) && !to.is_temporary()) locals_.insert(to.root);
  }

  void append(const ir::Place& into, const View& view, const ir::Op& op) {
    const bool outlives = into.root == "self" || parameters_.contains(into.root);
    if (outlives) return report(view, op.at, "it is kept in a container here");
    if (into.steps.empty()) views_.insert_or_assign(into.root, view);
  }

  static bool makes_container(const ir::Op& op) {
    return (op.kind == Kind::Pack && op.callee == "list") ||
           (op.kind == Kind::Call && !op.receiver &&
            (op.callee == "vector" || op.callee == "array" || op.callee == "Mat" ||
             op.callee == "string"));
  }
  static bool keeps_storage(const ir::Op& op) {
    static const std::set<std::string> views = {"view",    "reshape",   "permute",    "transpose",
                                                "squeeze", "unsqueeze", "flatten",    "narrow",
                                                "select",  "detach",    "contiguous", "expand"};
    return views.contains(op.callee) || op.kind == Kind::Detach || op.kind == Kind::Index;
  }

  // Keeps what it is given as it is.
  static bool bundles(const ir::Op& op) {
    return op.kind == Kind::Assign || op.kind == Kind::Pack || op.kind == Kind::Append ||
           op.callee == "Example" || op.callee == "make_pair" || op.callee == "make_tuple";
  }

  void see(const ir::Jump& jump) {
    if (jump.form != ir::Jump::Form::Return) return;
    for (const ir::Operand& value : jump.values) {
      const ir::Place* place = place_of(value);
      if (place == nullptr || !place->steps.empty()) continue;
      const auto view = views_.find(place->root);
      if (view != views_.end()) report(view->second, jump.at, "the tensor is returned here");
    }
  }

  void report(const View& view, const Location& where, const char* how) {
    found_
        .at(view.op->at,
            fmt::format("the tensor uses the memory of {}, which dies with this function",
                        view.owner))
        .note(where, how)
        .help("copy it: from_blob(...).clone()");
  }

  Findings& found_;
  std::set<std::string> parameters_, locals_;
  std::map<std::string, std::string> data_of_;
  std::map<std::string, View> views_;
};

// from_blob copies nothing: the tensor lives as long as the buffer, and reads freed memory after.
void declarations(const ir::Program& program, Findings& found) {
  if (program.language != ir::Language::Cpp) return;
  for (const ir::Function& function : program.functions) Buffers(function, found);
}

}  // namespace

extern const Rule from_blob_dangling;
constinit const Rule from_blob_dangling{Level::Error, nullptr, kinds(Kind::Tensor), false,
                                        declarations};

}  // namespace forerun::rules
