#include <algorithm>
#include <deque>

#include "analyzer/flow/analysis.h"
#include "analyzer/flow/conditions.h"

namespace forerun::flow {
namespace {

constexpr std::size_t kMaxStates = 40000;  // of one search; beyond it nothing is claimed

struct State {
  NodeId node;
  bool passed;  // `from` lies behind
  Conditions::Assumption assumption;
};

// The states a search has met.
class Seen {
 public:
  Seen() : slots_(256) {}
  // False when it was met before.
  bool insert(const State& state) {
    const auto place = static_cast<std::uint64_t>(state.node) << 1 | (state.passed ? 1 : 0);
    if (!put({place + 1, state.assumption.known, state.assumption.holds})) return false;
    if (++size_ * 2 > slots_.size()) grow();
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t place = 0;  // 0 is free
    std::uint64_t known = 0, holds = 0;
    bool operator==(const Slot&) const = default;
  };
  bool put(const Slot& state) {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t mixed = state.place * 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ state.known) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ mixed >> 31 ^ state.holds) * 0x94d049bb133111ebULL;
    for (std::size_t at = (mixed >> 32) & mask;; at = (at + 1) & mask) {
      if (slots_[at] == state) return false;
      if (slots_[at].place != 0) continue;
      slots_[at] = state;
      return true;
    }
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& state : old) {
      if (state.place != 0) put(state);
    }
  }
  std::vector<Slot> slots_;  // open addressing
  std::size_t size_ = 0;
};

// The edges that a search follows.
struct Passage {
  const Graph& graph;
  LoopId within;

  bool operator()(const Edge& edge) const {
    return !edge.skips_loop && !graph.nodes[static_cast<std::size_t>(edge.to)].prelude &&
           (within == kNone || graph.in(within, edge.to));
  }
};

using Marks = std::vector<bool>;  // of each node

// What control could come to from `from`, up to goals and what is avoided, if every branch could be
// taken; the goals among it.
Marks onwards(const Passage& passes, NodeId from, const Test& goal, const Test& avoid,
              std::vector<NodeId>& goals) {
  Marks met(passes.graph.nodes.size(), false);
  std::vector<NodeId> open{from};
  while (!open.empty()) {
    const NodeId here = open.back();
    open.pop_back();
    for (const Edge& edge : passes.graph.nodes[static_cast<std::size_t>(here)].next) {
      const auto to = static_cast<std::size_t>(edge.to);
      if (met[to] || !passes(edge)) continue;
      met[to] = true;
      if (goal(edge.to)) {
        goals.push_back(edge.to);
      } else if (!avoid(edge.to)) {
        open.push_back(edge.to);
      }
    }
  }
  return met;
}

using Sources = std::vector<std::vector<NodeId>>;  // of the edges that enter each node

Sources sources_of(const Passage& passes) {
  const auto& nodes = passes.graph.nodes;
  Sources sources(nodes.size());
  for (std::size_t id = 0; id < nodes.size(); ++id) {
    for (const Edge& edge : nodes[id].next) {
      if (passes(edge))
        sources[static_cast<std::size_t>(edge.to)].push_back(static_cast<NodeId>(id));
    }
  }
  return sources;
}

// The nodes that lead to one of the ends, themselves included; all, or those `among`.
Marks backwards(const Sources& sources, std::vector<NodeId> ends, const Marks* among) {
  Marks found(sources.size(), false);
  for (const NodeId end : ends) found[static_cast<std::size_t>(end)] = true;
  while (!ends.empty()) {
    const NodeId here = ends.back();
    ends.pop_back();
    for (const NodeId source : sources[static_cast<std::size_t>(here)]) {
      const auto at = static_cast<std::size_t>(source);
      if (found[at] || (among != nullptr && !(*among)[at])) continue;
      found[at] = true;
      ends.push_back(source);
    }
  }
  return found;
}

// Which nodes a search has to look at: those that control could come to a goal by if every branch
// could be taken.
struct Ways {
  Marks before;  // `from` can be reached from here
  Marks after;   // reached from `from`, and a goal can be reached from here
};

// None where no goal could be come to: most searches end here.
std::optional<Ways> ways_of(const Passage& passes, NodeId from, const Test& goal,
                            const Test& avoid) {
  std::vector<NodeId> goals;
  const Marks met = onwards(passes, from, goal, avoid, goals);
  if (goals.empty()) return std::nullopt;
  const Sources sources = sources_of(passes);
  return Ways{backwards(sources, {from}, nullptr), backwards(sources, goals, &met)};
}

// Of each node, the facts that some branch still asks for on a way through `among`: what else is
// assumed there makes no difference, and states that differ in nothing else are one.
// `later`: those that matter once `from` lies behind; absent when it does.
std::vector<std::uint64_t> facts_that_matter(const Graph& graph, const Conditions& conditions,
                                             const Marks& among, NodeId from,
                                             const std::vector<std::uint64_t>* later) {
  std::vector<std::uint64_t> facts(graph.nodes.size(), 0);
  for (std::size_t id = 0; id < facts.size(); ++id) {
    if (among[id] || static_cast<NodeId>(id) == from)
      facts[id] = conditions.asked(static_cast<NodeId>(id));
  }
  for (bool changed = true; changed;) {  // nearly all edges lead to higher numbers
    changed = false;
    for (std::size_t id = facts.size(); id-- > 0;) {
      if (!among[id] && static_cast<NodeId>(id) != from) continue;
      std::uint64_t all = facts[id];
      for (const Edge& edge : graph.nodes[id].next) {
        const auto to = static_cast<std::size_t>(edge.to);
        if (edge.skips_loop || !among[to]) continue;
        std::uint64_t next = later != nullptr && edge.to == from ? (*later)[to] : facts[to];
        if (graph.nodes[to].form == Node::Form::Head)
          next &= ~conditions.changed(graph.nodes[to].loop);
        all |= next;
      }
      changed |= all != facts[id];
      facts[id] = all;
    }
  }
  return facts;
}

}  // namespace

std::optional<NodeId> Analysis::path(NodeId from, const Test& goal, const Test& avoid,
                                     LoopId within) const {
  const Passage passes{graph_, within};
  const auto useful = ways_of(passes, from, goal, avoid);
  if (!useful) return std::nullopt;
  const std::vector<std::uint64_t> after =
      facts_that_matter(graph_, *conditions_, useful->after, from, nullptr);
  const std::vector<std::uint64_t> before =
      facts_that_matter(graph_, *conditions_, useful->before, from, &after);
  // The search starts where the round (or the function) does, so that what had to hold to come to
  // `from` is known.
  const LoopId around = within != kNone ? within : innermost_loop(from);
  NodeId start = around == kNone ? kNone : loop(around).head;
  for (NodeId id = 0; start == kNone && id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
    if (node(id).form == Node::Form::Entry && !node(id).prelude) start = id;
  }
  if (start == kNone) start = from;
  Seen seen;
  std::deque<State> open{{start, start == from, {}}};
  seen.insert(open.front());
  while (!open.empty()) {
    const State at = open.front();
    open.pop_front();
    for (const Edge& edge : node(at.node).next) {
      if (!passes(edge)) continue;
      if (!(at.passed ? useful->after : useful->before)[static_cast<std::size_t>(edge.to)])
        continue;
      State next{edge.to, at.passed, at.assumption};
      if (edge.taken != 0 && !conditions_->take(at.node, edge.taken, next.assumption)) continue;
      if (node(edge.to).form == Node::Form::Head) {
        if (!at.passed && edge.to == start)
          continue;  // another round before `from` tells nothing new
        conditions_->forget(node(edge.to).loop, next.assumption);
      }
      if (at.passed) {
        if (goal(edge.to)) return edge.to;
        if (avoid(edge.to)) continue;
      }
      if (edge.to == from) next.passed = true;
      next.assumption.known &= (next.passed ? after : before)[static_cast<std::size_t>(edge.to)];
      next.assumption.holds &= next.assumption.known;
      if (!seen.insert(next)) continue;
      if (seen.size() > kMaxStates) return std::nullopt;
      open.push_back(next);
    }
  }
  return std::nullopt;
}

namespace {

// The nodes control can come to from here in the same round, the start itself left out.
std::vector<bool> reach(const Graph& graph, const std::vector<NodeId>& starts, LoopId within) {
  std::vector<bool> met(graph.nodes.size(), false);
  std::vector<NodeId> open = starts;
  const NodeId head = within == kNone ? kNone : graph.loops[static_cast<std::size_t>(within)].head;
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    if (at == head || met[static_cast<std::size_t>(at)]) continue;
    if (within != kNone && !graph.in(within, at)) continue;
    met[static_cast<std::size_t>(at)] = true;
    for (const Edge& edge : graph.nodes[static_cast<std::size_t>(at)].next) open.push_back(edge.to);
  }
  return met;
}

}  // namespace

std::vector<Analysis::Guard> Analysis::guards(NodeId id, LoopId within) const {
  std::vector<Guard> found;
  for (NodeId branch = 0; branch < static_cast<NodeId>(graph_.nodes.size()); ++branch) {
    const Node& one = node(branch);
    if (one.form != Node::Form::Branch || one.prelude) continue;
    if (within != kNone && !graph_.in(within, branch)) continue;
    if (one.loop != kNone && !graph_.in(one.loop, id)) continue;  // of a loop that ended before
    std::vector<NodeId> held, other;
    for (const Edge& edge : one.next) (edge.taken > 0 ? held : other).push_back(edge.to);
    const LoopId round = one.loop != kNone ? one.loop : within;
    const bool if_held = reach(graph_, held, round)[static_cast<std::size_t>(id)];
    const bool if_not = reach(graph_, other, round)[static_cast<std::size_t>(id)];
    if (if_held != if_not) found.push_back({branch, if_held ? 1 : -1});
  }
  std::reverse(found.begin(), found.end());
  return found;
}

bool Analysis::every_round(LoopId id, NodeId passed) const {
  const Loop& around = loop(id);
  if (around.head == kNone || around.latch == kNone) return true;
  const auto skipping = path(
      around.head, [&](NodeId at) { return at == around.latch; },
      [&](NodeId at) { return at == passed; }, id);
  return !skipping;
}

bool Analysis::comes_round(LoopId id, NodeId from, NodeId to) const {
  const Loop& around = loop(id);
  if (around.latch == kNone) return false;
  const auto ends = path(
      from, [&](NodeId at) { return at == around.latch; }, [](NodeId) { return false; }, id);
  const auto begins = path(
      around.head, [&](NodeId at) { return at == to; }, [](NodeId) { return false; }, id);
  return ends.has_value() && begins.has_value();
}

}  // namespace forerun::flow
