#include <algorithm>
#include <set>

#include "rules/host_waits.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::Device;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

struct Interval {
  NodeId start = flow::kNone, end = flow::kNone;  // clock reads
};

// The clock reads behind a value.
std::vector<NodeId> clocks(const Analysis& of, const Values& values) {
  std::vector<NodeId> found;
  const Values behind = of.sources(values, [&](const flow::Value& one) {
    const ir::Op* maker = of.maker(static_cast<ValueId>(&one - of.graph().values.data()));
    return maker == nullptr || maker->kind != Kind::Clock;
  });
  for (const ValueId one : behind) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr && maker->kind == Kind::Clock) found.push_back(of.value(one).def);
  }
  return found;
}

// Somebody looks at the difference.
bool is_used(const Analysis& of, const flow::Node& node) {
  const bool kept_in_object =
      std::any_of(node.op->results.begin(), node.op->results.end(),
                  [](const ir::Place& place) { return !place.steps.empty(); });
  return kept_in_object ||
         std::any_of(node.results.begin(), node.results.end(), [&](const Values& made) {
           return !of.uses(made).empty() || of.escapes(made);
         });
}

// Differences of two clock reads of one round: a clock that is read once a
// round, and set again for the next, measures throughput, in which the device's
// lag cancels out.
std::vector<Interval> intervals(const Analysis& of) {
  std::vector<Interval> found;
  for (const NodeId id : of.all(Kind::Arith)) {
    const flow::Node& node = of.node(id);
    if (node.op->callee != "sub" || node.arguments.size() != 2 || !is_used(of, node)) continue;
    const std::vector<NodeId> later = clocks(of, node.arguments[0]);
    const std::vector<NodeId> earlier = clocks(of, node.arguments[1]);
    if (later.size() != 1 || earlier.size() != 1) continue;
    const Interval one{earlier.front(), later.front()};
    if (one.start == one.end || of.innermost_loop(one.start) != of.innermost_loop(one.end))
      continue;
    const NodeId latch = of.loop_latch(of.innermost_loop(one.start));
    const auto same_round = of.path(
        one.start, [&](NodeId at) { return at == one.end; },
        [&](NodeId at) { return at == latch; });
    if (same_round) found.push_back(one);
  }
  return found;
}

bool is_device_work(const Analysis& of, NodeId id) {
  static const std::set<std::string> heavy = {"matmul",
                                              "mm",
                                              "bmm",
                                              "conv1d",
                                              "conv2d",
                                              "conv3d",
                                              "linear",
                                              "einsum",
                                              "addmm",
                                              "baddbmm",
                                              "scaled_dot_product_attention"};
  const flow::Node& node = of.node(id);
  if (node.is(Kind::Backward)) return of.device(node.receiver) != Device::Host;
  if (node.is(Kind::Tensor) && heavy.contains(node.op->callee)) {
    for (const Values& made : node.results) {
      if (of.device(made) == Device::Device) return true;
    }
    return false;
  }
  if (!node.is(Kind::Forward)) return false;
  if (node.results.empty()) return true;  // called for the time it takes
  return std::any_of(node.results.begin(), node.results.end(),
                     [&](const Values& made) { return of.device(made) == Device::Device; });
}

bool steps_in(const Analysis& of, LoopId loop) {
  for (const NodeId id : of.all({Kind::Step, Kind::ScalerStep, Kind::Backward})) {
    if (of.graph().in(loop, id)) return true;
  }
  return false;
}

// Work in a training loop that lies within the interval: an epoch is timed, and
// the host lags the device by a step at most.
bool is_epoch(const Analysis& of, const Interval& interval, NodeId work) {
  for (const LoopId loop : of.loops_around(work)) {
    if (loop == of.innermost_loop(interval.start)) break;
    if (steps_in(of, loop)) return true;
  }
  return false;
}

// Nothing runs on a device in this program.
bool stays_on_host(const Analysis& of) {
  for (const NodeId id : of.all(Kind::Move)) {
    if (!moves_to_host(of.node(id))) return false;
  }
  return true;
}

// The last device work before the clock is read, when nothing waits for it.
NodeId unfinished(const Analysis& of, const Interval& interval) {
  NodeId found = flow::kNone;
  for (const NodeId work : of.where([&](const flow::Node& node) { return node.op != nullptr; })) {
    if (!is_device_work(of, work) || is_epoch(of, interval, work)) continue;
    auto is_end = [&](NodeId at) { return at == interval.end; };
    const bool inside = of.path(
                              interval.start, [&](NodeId at) { return at == work; }, is_end)
                            .has_value();
    if (!inside) continue;
    if (of.path(work, is_end, [&](NodeId at) { return may_wait(of, at) || at == interval.start; }))
      found = work;
  }
  return found;
}

// Device work is asynchronous: the clock is read when it has been queued, not
// when it is done.
void check(const Analysis& of, Findings& found) {
  const std::vector<Interval> all = intervals(of);
  if (all.empty() || stays_on_host(of)) return;
  std::set<NodeId> reported;
  for (const Interval& interval : all) {
    if (reported.contains(interval.end)) continue;
    const NodeId work = unfinished(of, interval);
    if (work == flow::kNone) continue;
    reported.insert(interval.end);
    found.at(interval.end, "the clock is read while the device may still be working")
        .note(interval.start, "the interval begins here")
        .note(work, "this is only queued when the call returns")
        .help(
            "call torch.cuda.synchronize() before both clock reads, or use "
            "CUDA events");
  }
}

}  // namespace

extern const Rule timing_without_sync;
constinit const Rule timing_without_sync{Level::Warning, check, kinds(Kind::Clock)};

}  // namespace forerun::rules
