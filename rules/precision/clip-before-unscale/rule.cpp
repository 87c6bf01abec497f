#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// Clipping to a limit that was multiplied by the scale is right before unscaling.
bool knows_the_scale(const Analysis& of, NodeId clip) {
  for (const Values& argument : of.node(clip).arguments) {
    for (const ValueId one : of.sources(argument)) {
      const ir::Op* maker = of.maker(one);
      if (maker != nullptr && maker->callee == "get_scale") return true;
    }
  }
  return false;
}

Analysis::Parameters clipped(const Analysis& of, NodeId clip) {
  return of.node(clip).arguments.empty() ? Analysis::Parameters{}
                                         : of.parameters_of(of.node(clip).arguments.front());
}

// Norms and other sizes of gradients; whether they are finite may be asked of scaled ones too.
bool is_measured(const flow::Node& node) {
  static const std::set<std::string> sizes = {"norm", "vector_norm", "abs", "mean", "sum",
                                              "max",  "min",         "std", "pow",  "square"};
  return node.is(Kind::Print) || (node.is(Kind::Tensor) && sizes.contains(node.op->callee));
}

// Nodes that look at the size of gradients: clipping, and measuring what .grad gives.
std::vector<NodeId> looks_at_gradients(const Analysis& of) {
  std::vector<NodeId> all = of.all(Kind::ClipGrad);
  for (const NodeId id : of.where(is_measured)) {
    for (const ValueId one : of.sources(reads_of(of.node(id)))) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr || maker->kind != Kind::GradRead) continue;
      all.push_back(id);
      break;
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

// After any of these the gradients are not the scaled ones of that backward any more.
bool ends_scaling(const Analysis& of, NodeId id, const Values& scalers,
                  const Analysis::Parameters& wanted) {
  const flow::Node& node = of.node(id);
  if (node.is(Kind::Unscale))
    return flow::intersect(node.receiver, scalers) &&
           of.overlap(of.parameters_of(of.stepped(id)), wanted);
  if (node.is(Kind::ScalerStep))
    return flow::intersect(node.receiver, scalers) &&
           of.overlap(of.parameters_of(of.stepped(id)), wanted);
  if (node.is(Kind::ScalerUpdate)) return flow::intersect(node.receiver, scalers);
  if (node.is(Kind::ZeroGrad) || node.is(Kind::GradWrite)) return true;
  return of.may_touch(id, scalers);
}

// `if scaler and (norm or value): unscale_` before `if norm: clip`: whenever gradients are clipped
// they were unscaled. The branches around such an unscale.
std::set<NodeId> gates(const Analysis& of, NodeId look) {
  Values conditions;
  for (const Analysis::Guard& guard : of.guards(look)) {
    if (guard.taken > 0) flow::add(conditions, of.node(guard.branch).receiver);
  }
  std::set<NodeId> found;
  for (const NodeId unscale : of.all(Kind::Unscale)) {
    for (const Analysis::Guard& guard : of.guards(unscale)) {
      for (const ValueId one : of.sources(of.node(guard.branch).receiver)) {
        const ir::Op* maker = of.maker(one);
        if (maker == nullptr || maker->kind != Kind::Arith || maker->callee != "or") continue;
        for (const Values& part : of.node(of.value(one).def).arguments) {
          if (flow::intersect(part, conditions)) found.insert(guard.branch);
        }
      }
    }
  }
  return found;
}

// On some path from the backward of a scaled loss, gradients are clipped or measured while still
// multiplied by the scale.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  Values measured;  // what reported looks gave: a norm of norms is said once
  const std::vector<NodeId> looks = looks_at_gradients(of);
  for (const NodeId backward : of.all(Kind::Backward)) {
    const Values scalers = scalers_of(of, backward);
    if (scalers.empty() || is_disabled(of, scalers)) continue;
    for (const NodeId look : looks) {
      const bool clips = of.node(look).is(Kind::ClipGrad);
      if (reported.contains(look) || (clips && knows_the_scale(of, look))) continue;
      const Analysis::Parameters wanted = clips ? clipped(of, look) : Analysis::Parameters{};
      if (clips && !of.overlap(of.gradients_of(backward), wanted)) continue;
      const std::set<NodeId> decided = gates(of, look);
      const auto met = of.path(
          backward, [&](NodeId at) { return at == look; },
          [&](NodeId at) { return decided.contains(at) || ends_scaling(of, at, scalers, wanted); });
      if (!met) continue;
      reported.insert(look);
      if (!clips) {
        const bool again = flow::intersect(of.sources(reads_of(of.node(look))), measured);
        for (const Values& made : of.node(look).results) flow::add(measured, made);
        if (again) continue;
      }
      found
          .at(look,
              clips ? "gradients are clipped while they are still multiplied by the loss scale"
                    : "gradients are measured while they are still multiplied by the loss scale")
          .note(backward, "backward of the scaled loss makes them here")
          .help(fmt::format("call {}.unscale_(optimizer) between backward() and this",
                            called(of, scalers, "scaler")));
    }
  }
}

std::uint32_t trigger(const ir::Op& op) { return op.kind == Kind::Backward; }

}  // namespace

extern const Rule clip_before_unscale;
constinit const Rule clip_before_unscale{Level::Error, check,   kinds(Kind::ScaleLoss),
                                         true,         nullptr, {trigger}};

}  // namespace forerun::rules
