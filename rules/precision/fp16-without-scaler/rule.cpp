#include <algorithm>
#include <set>

#include "rules/manual_autocast.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

std::string text_of(const std::vector<ir::Argument>& arguments, const std::string& name,
                    std::size_t position) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ir::Argument& argument = arguments[i];
    if (argument.name == name || (argument.name.empty() && i == position))
      return ir::to_string(argument.value);
  }
  return "";
}

// Autocast to float16 for certain: by its dtype, or as CUDA's default.
bool casts_to_half(const std::vector<ir::Argument>& arguments) {
  if (text_of(arguments, "enabled", 99) == "false") return false;
  const std::string type = text_of(arguments, "dtype", 1);
  if (type == "float16") return true;
  if (!type.empty()) return false;
  const std::string device = text_of(arguments, "device_type", 0);
  const bool cuda_only =
      arguments.empty() || (arguments.size() == 1 && arguments[0].name == "enabled");
  return device == "\"cuda\"" || cuda_only;
}

// The arguments of an autocast scope, also where it is held in a variable: `with amp:`.
bool casts_to_half(const Analysis& of, int scope) {
  const flow::Scope& one = of.graph().scopes[static_cast<std::size_t>(scope)];
  if (one.source == nullptr || one.source->form != ir::Scope::Form::Autocast) return false;
  const flow::Node& node = of.node(one.node);
  if (node.arguments.size() == 1 && node.arguments.front().size() == 1) {
    const ir::Op* held = of.maker(node.arguments.front().front());
    if (held != nullptr && held->callee == "autocast") return casts_to_half(held->arguments);
  }
  return casts_to_half(one.source->arguments);
}

bool named_scale(const Analysis& of, const Values& values) {
  return std::any_of(values.begin(), values.end(), [&](ValueId one) {
    const ir::Op* maker = of.maker(one);
    return of.value(one).step.find("scale") != std::string::npos ||
           (maker != nullptr && maker->callee.find("scale") != std::string::npos);
  });
}

bool has_name_of_scale(const flow::Node& node) {
  if (node.op == nullptr) return false;
  return std::any_of(node.op->arguments.begin(), node.op->arguments.end(),
                     [](const ir::Argument& argument) {
                       return ir::to_string(argument.value).find("scale") != std::string::npos;
                     });
}

// The autocast scope that part of the graph was computed in.
int scope_behind(const Analysis& of, NodeId backward) {
  for (const ValueId one : of.graph_of(backward)) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr || (maker->kind != Kind::Forward && maker->kind != Kind::Loss)) continue;
    const NodeId made = of.value(one).def;
    const std::vector<int> scopes = of.scopes_around(made);
    const auto casting = std::find_if(scopes.begin(), scopes.end(),
                                      [&](int scope) { return casts_to_half(of, scope); });
    if (casting == scopes.end()) continue;
    const int scope = *casting;
    const auto way = of.path(
        made, [&](NodeId at) { return at == backward; }, [](NodeId) { return false; });
    if (way) return scope;
  }
  return flow::kNone;
}

// C++ switches autocast on by a call; what runs until it is switched off is cast.
NodeId switch_behind(const Analysis& of, NodeId backward) {
  for (const NodeId on : of.all(Kind::Call)) {
    if (sets_autocast(of.node(on)) != true || autocast_device(of.node(on)) != "\"cuda\"") continue;
    for (const ValueId one : of.graph_of(backward)) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr || (maker->kind != Kind::Forward && maker->kind != Kind::Loss)) continue;
      const NodeId made = of.value(one).def;
      const auto cast = of.path(
          on, [&](NodeId at) { return at == made; },
          [&](NodeId at) { return sets_autocast(of.node(at)) == false; });
      if (cast) return on;
    }
  }
  return flow::kNone;
}

bool sets_another_type(const Analysis& of) {
  for (const NodeId id : of.all(Kind::Call)) {
    const std::string& name = of.node(id).op->callee;
    if (name.starts_with("set_autocast") && name.ends_with("dtype")) return true;
  }
  return false;
}

bool scaled_by_hand(const Analysis& of, NodeId backward) {
  const Values graph = of.sources(of.node(backward).receiver);
  if (named_scale(of, graph)) return true;
  return std::any_of(graph.begin(), graph.end(), [&](ValueId one) {
    const flow::Value& value = of.value(one);
    return value.form == flow::Value::Form::Result && value.def != flow::kNone &&
           has_name_of_scale(of.node(value.def));
  });
}

bool steps_somewhere(const Analysis& of) { return !of.all(Kind::Step).empty(); }

// float16 has no small numbers: gradients below 6e-8 become zero unless the
// loss is scaled up.
void check(const Analysis& of, Findings& found) {
  if (!of.all({Kind::ScaleLoss, Kind::ScalerStep}).empty() || !steps_somewhere(of)) return;
  std::set<NodeId> reported;
  for (const NodeId backward : of.all(Kind::Backward)) {
    const int scope = scope_behind(of, backward);
    NodeId cast = flow::kNone;
    if (scope != flow::kNone) {
      cast = of.graph().scopes[static_cast<std::size_t>(scope)].node;
    } else if (!sets_another_type(of)) {
      cast = switch_behind(of, backward);
    }
    if (cast == flow::kNone || reported.contains(cast) || scaled_by_hand(of, backward)) continue;
    reported.insert(cast);
    found
        .at(backward,
            "the loss was computed in float16 and is run backward without a gradient scaler")
        .note(cast, "autocast to float16 here")
        .help("scale it: GradScaler.scale(loss).backward(), or use dtype=torch.bfloat16");
  }
}

}  // namespace

extern const Rule fp16_without_scaler;
constinit const Rule fp16_without_scaler{Level::Warning, check, kinds(Kind::Backward), true};

}  // namespace forerun::rules
