// What a rule is: a default level and a check over one entry point of a program. A rule's folder is
// rules/<group>/<id>/; its object carries the id with underscores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/flow/analysis.h"
#include "core/finding.h"

namespace forerun::rules {

// Collects what a rule finds:  found.at(node, "what is so").note(other, "where it comes
// from").help("do this")
class Findings {
 public:
  // `of` is absent in a check of declarations: places are locations there.
  Findings(const flow::Analysis* of, Level level, std::vector<Finding>& into)
      : of_(of), level_(level), into_(into) {}

  class Draft {
   public:
    Draft(const flow::Analysis* of, Finding& finding) : of_(of), finding_(finding) {}
    Draft& note(flow::NodeId place, std::string message) {
      return note(of_->node(place).at, std::move(message));
    }
    Draft& note(const Location& place, std::string message);
    Draft& help(std::string cure);
    Draft& level(Level level);
    // `was`: what stands at the place, for whoever has the text to compare; a fix that expects
    // something else than what is there is not offered.
    Draft& fix(std::string description, Location where, std::string replacement,
               std::string was = {});

   private:
    const flow::Analysis* of_;
    Finding& finding_;
  };

  // The draft is used up in the same statement: another call of at() moves it.
  Draft at(flow::NodeId place, std::string message) {
    return at(of_->node(place).at, std::move(message));
  }
  Draft at(const Location& place, std::string message);

 private:
  const flow::Analysis* of_;
  Level level_;
  std::vector<Finding>& into_;
};

// A set of kinds, for Rule::needs.
using Kinds = std::uint64_t;
template <class... Kind>
constexpr Kinds kinds(Kind... kind) {
  return ((Kinds{1} << static_cast<int>(kind)) | ...);
}

// What an entry point has to have before `check` can say anything about it: single operations give
// bits, and all of `whole` must come together. Only those entry points are expanded. What runs
// before one (module level, its class's constructor) gives bits, too.
struct Trigger {
  std::uint32_t (*bits)(const ir::Op& op) = nullptr;  // null: an operation of Rule::needs
  std::uint32_t whole = 1;                            // 0: every entry point
};

struct Rule {
  Level level;  // unless the rule says otherwise for one finding, or the user for all
  void (*check)(const flow::Analysis& of, Findings& found);  // null: only declarations matter
  // A program without any operation of these kinds cannot concern the rule; 0: any program can.
  Kinds needs = 0;
  bool moot_under_framework = false;  // Lightning and others do what the rule asks for
  // What is asked of a program as a whole, once: its classes, and operations wherever they stand.
  void (*declarations)(const ir::Program& program, Findings& found) = nullptr;
  // Where `check` starts from other operations than those it needs, or from few of them.
  Trigger trigger = {};
  // What would otherwise be the same answer for every entry point, asked once: false when `check`
  // is not to run on this program at all. Null: it is.
  bool (*concerned)(const ir::Program& program) = nullptr;
};

}  // namespace forerun::rules
