#include <algorithm>

#include "rules/manual_autocast.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using ir::Kind;

// Any call that sets it to something else than on: off, or back to what it was
// before.
bool restores(const flow::Node& node, const std::string& device) {
  if (!node.is(Kind::Call) || node.op->arguments.empty()) return false;
  const auto on = sets_autocast(node);
  if (on) return !*on && autocast_device(node) == device;
  const std::string& name = node.op->callee;
  return name.starts_with("set_") && name.ends_with("enabled") &&
         name.find("cache") == std::string::npos && name.find("grad") == std::string::npos;
}

// A constructor whose destructor restores it: a guard the program wrote itself.
bool belongs_to_guard(const Analysis& of, NodeId node) {
  const auto& frame = of.graph().frames[static_cast<std::size_t>(of.node(node).frame)];
  return frame.function != nullptr && frame.function->name.ends_with(".__init__");
}

bool leaves(const flow::Node& node) {
  if (node.form == flow::Node::Form::Exit) return true;
  return node.form == flow::Node::Form::Jump &&
         (node.jump->form == ir::Jump::Form::Return || node.jump->form == ir::Jump::Form::Raise);
}

bool is_program_wide(const Analysis& of, NodeId on) {
  const ir::Function* root = of.graph().root;
  const bool in_main = root != nullptr && root->name == "main";
  return in_main && of.all({Kind::Backward, Kind::Step}).empty() &&
         of.innermost_loop(on) == flow::kNone;
}

// Autocast is switched on for this thread and stays on after the function on
// some path: whatever runs next is computed in half precision.
void check(const Analysis& of, Findings& found) {
  for (const NodeId on : of.all(Kind::Call)) {
    if (sets_autocast(of.node(on)) != true) continue;
    if (belongs_to_guard(of, on) || is_program_wide(of, on)) continue;
    const std::string device = autocast_device(of.node(on));
    auto is_restored = [&](NodeId at) { return restores(of.node(at), device); };
    const auto left = of.path(
        on,
        [&](NodeId at) { return of.node(at).frame == of.node(on).frame && leaves(of.node(at)); },
        is_restored);
    const auto ended =
        left ? left
             : of.path(
                   on, [&](NodeId at) { return of.node(at).form == flow::Node::Form::Exit; },
                   is_restored);
    if (!ended) continue;
    auto draft = found.at(on, "autocast is switched on, and on some path never off again");
    if (leaves(of.node(*ended)) && of.node(*ended).form == flow::Node::Form::Jump)
      draft.note(*ended, "the function is left here with autocast on");
    draft.help(
        "switch it off in the destructor of a guard object, so that "
        "every path does");
  }
}

}  // namespace

extern const Rule autocast_not_restored;
constinit const Rule autocast_not_restored{Level::Error, check,   kinds(Kind::Call),
                                           false,        nullptr, {autocast_trigger}};

}  // namespace forerun::rules
