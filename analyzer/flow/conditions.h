// Conditions of branches as formulas over facts that hold through an iteration, so that `if amp:`
// met twice on a path is taken the same way both times. Internal to analyzer/flow.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/flow/graph.h"

namespace forerun::flow {

class Conditions {
 public:
  static constexpr int kMaxFacts = 64;  // followed at once
  explicit Conditions(const Graph& graph);

  // Which facts are known and which way, one bit each.
  struct Assumption {
    std::uint64_t known = 0, holds = 0;
    auto operator<=>(const Assumption&) const = default;
  };
  // Takes the branch at `node` in direction +1 or -1; false when that contradicts what is assumed.
  bool take(NodeId node, int direction, Assumption& assumption) const;
  // What a new round of the loop may change is no longer known.
  void forget(LoopId loop, Assumption& assumption) const;
  // The facts that taking this branch asks for, and those that forget() drops: bits of an
  // Assumption.
  std::uint64_t asked(NodeId node) const;
  std::uint64_t changed(LoopId loop) const { return changes_[static_cast<std::size_t>(loop)]; }

 private:
  struct Formula {
    enum class Form { Unknown, Fact, Not, And, Or } form = Form::Unknown;
    int fact = 0;
    std::vector<Formula> parts;
  };
  struct Fact {
    std::string key;
    Values values;  // what it depends on
    int branches = 0;
  };
  Formula formula(const Values& values, const ir::Operand* operand, int depth);
  Formula of_operation(const Node& node, ValueId result, int depth);
  Formula fact(const std::string& key, const Values& values);
  std::string key(const Values& values, const ir::Operand* operand, int depth,
                  Values& depends) const;
  void count(const Formula& formula);
  int number(int fact) const { return numbers_[static_cast<std::size_t>(fact)]; }
  enum class Truth { False, True, Open };
  std::uint64_t bits(const Formula& formula) const;
  Truth value(const Formula& formula, const Assumption& assumption) const;
  void assume(const Formula& formula, bool holds, Assumption& assumption) const;

  const Graph& graph_;
  std::vector<Fact> facts_;
  std::map<std::string, int> fact_ids_;
  std::vector<int> numbers_;  // fact -> bit, or -1 when only one branch asks
  std::map<NodeId, Formula> formulas_;
  std::vector<std::uint64_t> changes_;  // of each loop: the bits a round may change
};

}  // namespace forerun::flow
