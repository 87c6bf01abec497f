// The questions rules ask of one entry point. Order, presence on a path, where values come from and
// whether they carry a graph; never a spelling.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/flow/graph.h"

namespace forerun::flow {

// What a value keeps alive for a backward pass. Maybe: nothing here tells, a parameter of the entry
// point for one.
enum class History { None, Maybe, Leaf, Graph };  // Leaf: needs a gradient, has no graph of its own
enum class Device { Host, Maybe, Device };  // where a tensor's bytes are; numbers are on the host

using Test = std::function<bool(NodeId)>;

class Conditions;

class Analysis {
 public:
  explicit Analysis(Graph graph);
  ~Analysis();
  Analysis(const Analysis&) = delete;

  const Graph& graph() const { return graph_; }
  const Node& node(NodeId id) const { return graph_.nodes[static_cast<std::size_t>(id)]; }
  const Value& value(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)]; }
  const Loop& loop(LoopId id) const { return graph_.loops[static_cast<std::size_t>(id)]; }
  // Where a round of the loop ends; kNone for no loop, or one whose rounds never end.
  NodeId loop_latch(LoopId id) const { return id == kNone ? kNone : loop(id).latch; }

  // The entry point's operations of a kind, in program order; calls that were expanded are left out
  // (their operations are there), as is what ran before the entry point.
  const std::vector<NodeId>& all(ir::Kind kind) const {
    return by_kind_[static_cast<std::size_t>(kind)];
  }
  std::vector<NodeId> all(std::initializer_list<ir::Kind> kinds) const;
  std::vector<NodeId> where(const std::function<bool(const Node&)>& test) const;

  // --- loops
  // --------------------------------------------------------------------------------------- The
  // loops around a node, innermost first; the loop an optimizer runs its closure in is not one of
  // them.
  std::vector<LoopId> loops_around(NodeId node) const;
  LoopId innermost_loop(NodeId node) const;
  // The innermost loop around the node whose own round runs backward or steps an optimizer: one
  // round is one training step. An epoch loop around such a loop is not one.
  LoopId step_loop(NodeId node) const;
  // The node itself, or the call in the loop's own function through which it is reached.
  NodeId seen_from(LoopId loop, NodeId node) const;

  // --- paths
  // --------------------------------------------------------------------------------------- Is
  // there a way from `from` to a node that passes `goal` without one that passes `avoid`? Ways that
  // contradict themselves (`if amp:` taken and later not) do not count, and a loop on the way is
  // taken to run at least once. The goal's node is returned. `within`: only nodes of this loop.
  std::optional<NodeId> path(NodeId from, const Test& goal, const Test& avoid,
                             LoopId within = kNone) const;
  // Does every round of the loop that comes to its end pass the node?
  bool every_round(LoopId loop, NodeId node) const;
  // Can control come from `from` to `to` through the end of a round of the loop?
  bool comes_round(LoopId loop, NodeId from, NodeId to) const;
  // Does the branch that this node is guarded by, between the loop and the node, do nothing but
  // leave the round?
  bool only_leaves(NodeId branch) const;
  // The branches that decide, within one round of the loop (or the entry point when kNone), whether
  // the node is met: control comes to it from one side only. Innermost, that is last met, first.
  struct Guard {
    NodeId branch = kNone;
    int taken = 0;  // the side it is met on: +1 the condition held
  };
  std::vector<Guard> guards(NodeId node, LoopId within = kNone) const;

  // --- scopes
  // The scopes (no_grad, autocast, no_sync, any other `with`, guard objects) around a node,
  // innermost first, those around the calls that lead to it included. Index into graph().scopes.
  std::vector<int> scopes_around(NodeId node) const;
  // The innermost of them that the test takes; kNone when there is none.
  int scope_around(NodeId node, const std::function<bool(const ir::Scope&)>& test) const;

  // --- values
  // --------------------------------------------------------------------------------------
  History history(ValueId value) const { return history_[static_cast<std::size_t>(value)]; }
  History history(const Values& values) const;
  bool attached(const Values& values) const {
    return history(values) == History::Graph;
  }  // certainly, on some path
  Device device(const Values& values) const;
  // Everything a value was computed from, itself included, over steps that `through` lets pass (all
  // when absent).
  Values sources(const Values& values, const std::function<bool(const Value&)>& through = {}) const;
  // Everything computed from the values, themselves included, over steps that carry a gradient.
  Values descendants(const Values& values) const;
  // Uses: nodes that read one of the values as receiver, argument or condition.
  std::vector<NodeId> uses(const Values& values) const;
  const ir::Op* maker(ValueId value) const;  // the operation whose result it is

  // --- backward
  // ------------------------------------------------------------------------------------ The
  // backward calls in whose graph the value is.
  std::vector<NodeId> backwards_of(ValueId value) const;
  bool backwarded(ValueId value) const { return !backwards_of(value).empty(); }
  // The graph behind the value was freed: it, or everything attached it was computed from, was run
  // backward without keeping the graph.
  bool freed(ValueId value) const;
  bool retains_graph(NodeId backward) const;
  const Values& graph_of(NodeId backward) const;  // every value in its graph

  // --- optimizers, models, scalers
  // ----------------------------------------------------------------- What step() updates: receiver
  // of a step, first argument of a scaler's.
  Values stepped(NodeId step) const;
  // The modules and tensors an optimizer or a list of parameters is made of; `known` is false when
  // some of it is not seen.
  struct Parameters {
    Values owners;
    bool known = false;
  };
  Parameters parameters_of(const Values& values) const;
  // The modules a backward call puts gradients into; `known` is false when code that is not seen
  // had a part in it.
  Parameters gradients_of(NodeId backward) const;
  // Some owner of one is an owner of the other, part of it, or it wraps it.
  bool overlap(const Parameters& a, const Parameters& b) const;
  bool covers(const Parameters& whole, const Parameters& part) const;
  // Could the call of unknown code at this node reach one of the values?
  bool may_touch(NodeId node, const Values& values) const;
  bool is_module(ValueId value) const;
  // The module was put in evaluation mode on the way here and not back; false when that is not
  // seen.
  bool in_evaluation(NodeId node) const;
  bool escapes(const Values& values) const;  // returned, or given to code that is not seen

 private:
  friend class Facts;
  Graph graph_;
  std::vector<std::vector<NodeId>> by_kind_;
  std::vector<History> history_;
  std::vector<Device> device_;
  std::vector<std::pair<NodeId, Values>> backward_;  // a backward call and the values of its graph
  std::vector<Values> members_;                      // of each value: its members on entry
  std::vector<Values> made_from_;                    // of each value: what was computed from it
  std::vector<std::vector<NodeId>> uses_;
  std::unique_ptr<Conditions> conditions_;
};

// Every entry point of the program, analysed. `program` must outlive them.
std::vector<std::unique_ptr<Analysis>> analyse(const ir::Program& program);
// Those of the entry points that are wanted, each gone before the next is made.
void analyse(const ir::Program& program, const Reach& reach, const Wanted& wanted,
             const std::function<void(const Analysis&)>& visit);
// One function as if it were an entry point: what its callers cannot be asked, because they were
// given the object from outside.
std::unique_ptr<Analysis> analyse(const ir::Program& program, const ir::Function& root);

// Does a gradient flow through this operation's result to what it was computed from?
bool carries_gradient(const ir::Op& op);
// A literal argument by name or, when positional, by index; empty when it is not a literal.
std::string literal_argument(const ir::Op& op, const std::string& name, std::size_t position);

}  // namespace forerun::flow
