#include <algorithm>

#include "rules/host_waits.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::Device;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// A copy from the device that returns before it is done; what it fills.
Values filled(const Analysis& of, NodeId id) {
  const flow::Node& node = of.node(id);
  if (!is_non_blocking(node)) return {};
  if (moves_to_host(node) && of.device(node.receiver) == Device::Device) {
    Values results;
    for (const Values& made : node.results) flow::add(results, made);
    return results;
  }
  const bool copies = node.is(Kind::TensorInPlace) && node.op->callee == "copy_";
  if (!copies || node.arguments.empty() || of.device(node.arguments.front()) != Device::Device)
    return {};
  // The target is on the host for certain only where it was made there.
  for (const ValueId one : node.receiver) {
    const ir::Op* maker = of.maker(one);
    const bool pinned =
        maker != nullptr && (maker->callee == "pin_memory" ||
                             flow::literal_argument(*maker, "pin_memory", 99) == "true");
    if (!pinned) return {};
  }
  return node.receiver;
}

std::uint32_t trigger(const ir::Op& op) { return is_non_blocking(op); }

// The host looks at the bytes.
bool reads(const Analysis& of, NodeId id, const Values& copy) {
  const flow::Node& node = of.node(id);
  const bool looks = node.is(Kind::HostRead) || node.is(Kind::Print) || node.is(Kind::Format) ||
                     node.form == flow::Node::Form::Branch || node.is(Kind::Save);
  const bool pointer = node.is(Kind::Query) && node.op->callee == "data_ptr";
  if (looks || pointer) return flow::intersect(reads_of(node), copy);
  // Arithmetic of tensors on the host runs at once.
  if (!node.is(Kind::Arith) && !node.is(Kind::Tensor)) return false;
  if (!flow::intersect(reads_of(node), copy)) return false;
  return std::all_of(node.results.begin(), node.results.end(),
                     [&](const Values& made) { return of.device(made) == Device::Host; });
}

// The copy itself, seen through views and elements.
Values views(const Analysis& of, const Values& copy) {
  Values all = copy;
  bool grew = true;
  while (grew) {
    grew = false;
    for (const NodeId use : of.uses(all)) {
      const flow::Node& node = of.node(use);
      const bool sees = node.is(Kind::Index) || node.is(Kind::Detach) || node.is(Kind::Unpack);
      if (!sees) continue;
      for (const Values& made : node.results) grew |= flow::add(all, made);
    }
  }
  return all;
}

bool waits(const Analysis& of, NodeId id, const Values& copy) {
  const flow::Node& node = of.node(id);
  if (node.is(Kind::Synchronize)) return true;
  if (host_wait_at(of, id)) return true;  // a blocking read of the same stream
  if (!node.is(Kind::Call) || node.expanded) return false;
  for (const char* word : {"sync", "wait", "query"}) {
    if (node.op->callee.find(word) != std::string::npos) return true;
  }
  return of.may_touch(id, copy);
}

// non_blocking copies to the host return at once: until something waits, the
// bytes are not there.
void check(const Analysis& of, Findings& found) {
  for (const NodeId copy : of.all({Kind::Move, Kind::TensorInPlace})) {
    const Values target = filled(of, copy);
    if (target.empty()) continue;
    const Values seen = views(of, target);
    const auto read = of.path(
        copy, [&](NodeId at) { return reads(of, at, seen); },
        [&](NodeId at) { return at == copy || waits(of, at, seen); });
    if (!read) continue;
    found.at(*read, "the host reads a copy that may not have arrived")
        .note(copy, "non_blocking: this returns before the device has copied")
        .help(
            "wait before reading (torch.cuda.synchronize(), or an event), or "
            "leave non_blocking out");
  }
}

}  // namespace

extern const Rule non_blocking_read_before_sync;
constinit const Rule non_blocking_read_before_sync{
    Level::Error, check, kinds(Kind::Move, Kind::TensorInPlace), false, nullptr, {trigger}};

}  // namespace forerun::rules
