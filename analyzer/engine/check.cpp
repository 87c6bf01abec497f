#include "analyzer/engine/check.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include <fmt/format.h>

#include "analyzer/engine/suppressions.h"
#include "analyzer/flow/analysis.h"
#include "analyzer/flow/names.h"
#include "analyzer/ir/walk.h"
#include "core/nearest.h"
#include "rules/catalog.h"

namespace forerun::engine {
namespace {

void take(const rules::CatalogEntry& entry, std::vector<Finding> found, const Selection& selection,
          std::vector<Finding>& into) {
  for (Finding& finding : found) {
    finding.rule_id = entry.id;
    finding.level = selection.level(entry.id, entry.group, finding.level);
    if (selection.reports(entry.id, entry.group, finding.location.file))
      into.push_back(std::move(finding));
  }
}

void run_rule(const rules::CatalogEntry& entry, const flow::Analysis& of,
              const Selection& selection, std::vector<Finding>& into) {
  if (entry.rule->check == nullptr) return;
  std::vector<Finding> found;
  rules::Findings builder(&of, entry.rule->level, found);
  entry.rule->check(of, builder);
  take(entry, std::move(found), selection, into);
}

void run_rule(const rules::CatalogEntry& entry, const ir::Program& program,
              const Selection& selection, std::vector<Finding>& into) {
  if (entry.rule->declarations == nullptr) return;
  std::vector<Finding> found;
  rules::Findings builder(nullptr, entry.rule->level, found);
  entry.rule->declarations(program, builder);
  take(entry, std::move(found), selection, into);
}

Finding unused(const Suppression& suppression, const std::string& what, const std::string& help) {
  Finding finding;
  finding.rule_id = kUnusedSuppression;
  finding.level = Level::Note;
  finding.location = suppression.at;
  finding.message = what;
  finding.help = help;
  return finding;
}

// Comments that name our rules and silence nothing: the code was mended, or the name is wrong.
void report_unused(const std::vector<Suppression>& all, const Selection& selection,
                   std::vector<Finding>& into) {
  const std::vector<std::string> ids = rule_ids();
  for (const Suppression& one : all) {
    if (!one.ours || one.used) continue;
    const bool any_runs =
        one.rules.empty() ||
        std::any_of(one.rules.begin(), one.rules.end(), [&](const std::string& rule) {
          return std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
            return matches_rule(rule, id, group_of(id)) && selection.runs(id, group_of(id));
          });
        });
    const auto unknown =
        std::find_if(one.rules.begin(), one.rules.end(), [&](const std::string& rule) {
          return std::none_of(ids.begin(), ids.end(), [&](const std::string& id) {
            return matches_rule(rule, id, group_of(id));
          });
        });
    Finding finding;
    if (unknown != one.rules.end()) {
      const auto close = nearest(*unknown, ids);
      finding = unused(one, fmt::format("this comment names '{}', which is no rule", *unknown),
                       close ? fmt::format("write '{}'", *close) : "--list-rules lists them");
    } else if (any_runs) {
      finding = unused(one, "this comment silences nothing", "remove it");
    } else {
      continue;
    }
    finding.level = selection.level(kUnusedSuppression, "", finding.level);
    if (selection.reports(kUnusedSuppression, "", finding.location.file))
      into.push_back(std::move(finding));
  }
}

// The rules this program can concern at all; without any, nothing is expanded.
std::vector<const rules::CatalogEntry*> concerned(const ir::Program& program,
                                                  const Selection& selection,
                                                  Thoroughness thoroughness) {
  rules::Kinds kinds = 0;
  for (const auto* functions : {&program.functions, &program.linked.functions})
    for (const ir::Function& function : *functions)
      ir::each_op(function.body, [&](const ir::Op& op) { kinds |= rules::kinds(op.kind); });
  const auto framework = flow::framework(program);
  std::vector<const rules::CatalogEntry*> entries;
  for (const rules::CatalogEntry& entry : rules::catalog()) {
    if (framework && entry.rule->moot_under_framework) continue;
    const bool all = thoroughness == Thoroughness::Everything;
    if (!all && entry.rule->needs != 0 && (entry.rule->needs & kinds) == 0) continue;
    if (selection.runs(entry.id, entry.group)) entries.push_back(&entry);
  }
  return entries;
}

auto order(const Finding& finding) {
  const Location& at = finding.location;
  return std::tie(at.file, at.cell, at.begin, finding.rule_id, finding.message);
}

}  // namespace

void sort_and_merge(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    if (order(a) != order(b)) return order(a) < order(b);
    return a.level > b.level;
  });
  // One rule says one thing of one place.
  std::vector<Finding> kept;
  for (Finding& finding : findings) {
    const bool same = !kept.empty() && kept.back().rule_id == finding.rule_id &&
                      kept.back().location.file == finding.location.file &&
                      kept.back().location.cell == finding.location.cell &&
                      kept.back().location.begin == finding.location.begin;
    if (!same) {
      kept.push_back(std::move(finding));
    } else if (finding.level > kept.back().level) {
      kept.back() = std::move(finding);
    }
  }
  findings = std::move(kept);
}

namespace {

// The rules that ask about paths, and which entry points they can concern.
class FlowRules {
 public:
  FlowRules(const ir::Program& program, const std::vector<const rules::CatalogEntry*>& entries,
            Thoroughness thoroughness) {
    int next = 0;
    for (const rules::CatalogEntry* entry : entries) {
      if (entry->rule->check == nullptr) continue;
      if (entry->rule->concerned != nullptr && !entry->rule->concerned(program)) continue;
      rules_.push_back({entry});
      const rules::Trigger& trigger = entry->rule->trigger;
      const bool always = thoroughness == Thoroughness::Everything || trigger.whole == 0 ||
                          (trigger.bits == nullptr && entry->rule->needs == 0);
      const int bits = std::bit_width(trigger.whole);
      if (always || (trigger.bits != nullptr && next + bits > 64)) {
        rules_.back().always = true;
      } else if (trigger.bits != nullptr) {
        rules_.back().first_bit = next;
        next += bits;
      }
    }
  }
  bool empty() const { return rules_.empty(); }

  flow::Reach reach(const ir::Program& program) const {
    return flow::Reach(program, [this](const ir::Op& op) {
      std::uint64_t marks = 0;
      for (const One& one : rules_) {
        if (one.first_bit >= 0)
          marks |= std::uint64_t{one.entry->rule->trigger.bits(op)} << one.first_bit;
      }
      return marks;
    });
  }
  bool wants(const flow::Reached& reached) const {
    return std::any_of(rules_.begin(), rules_.end(),
                       [&](const One& one) { return concerns(one, reached); });
  }
  template <class Visit>
  void each(const flow::Reached& reached, Visit visit) const {
    for (const One& one : rules_) {
      if (concerns(one, reached)) visit(*one.entry);
    }
  }

 private:
  struct One {
    const rules::CatalogEntry* entry;
    bool always = false;
    int first_bit = -1;  // of its trigger's bits among all rules'; -1: it goes by kinds
  };
  static bool concerns(const One& one, const flow::Reached& reached) {
    if (one.always) return true;
    const rules::Rule& rule = *one.entry->rule;
    if (one.first_bit < 0) return (rule.needs & reached.kinds) != 0;
    const std::uint64_t whole = std::uint64_t{rule.trigger.whole} << one.first_bit;
    return (reached.marks & whole) == whole;
  }
  std::vector<One> rules_;
};

// Every entry point that some rule can concern, one at a time.
void run_flow_rules(const ir::Program& program, const FlowRules& flow_rules,
                    const Selection& selection, Checked& result, std::vector<Finding>& all) {
  const flow::Reach reach = flow_rules.reach(program);
  flow::analyse(
      program, reach, [&](const flow::Reached& reached) { return flow_rules.wants(reached); },
      [&](const flow::Analysis& of) {
        const ir::Function& root = *of.graph().root;
        if (!of.graph().whole) {
          result.notes.push_back(
              fmt::format("{}: '{}' is too large to follow whole; it is not checked",
                          to_string(root.at), root.name));
          return;
        }
        flow_rules.each(reach.of(root), [&](const rules::CatalogEntry& entry) {
          run_rule(entry, of, selection, all);
        });
      });
}

}  // namespace

Checked check(const ir::Program& program, const Selection& selection, Thoroughness thoroughness) {
  Checked result;
  const auto entries = concerned(program, selection, thoroughness);
  std::vector<Finding> all;
  for (const rules::CatalogEntry* entry : entries) run_rule(*entry, program, selection, all);
  const FlowRules flow_rules(program, entries, thoroughness);
  if (!flow_rules.empty()) run_flow_rules(program, flow_rules, selection, result, all);
  sort_and_merge(all);
  const std::vector<Suppression> silenced = suppressions(program.comments, program.language);
  const std::vector<Suppression> linked = suppressions(program.linked.comments, program.language);
  for (Finding& finding : all) {
    const std::string_view group = group_of(finding.rule_id);
    if (is_suppressed(finding, group, silenced) || is_suppressed(finding, group, linked)) {
      ++result.suppressed;
    } else {
      result.findings.push_back(std::move(finding));
    }
  }
  for (const Suppression& one : linked)
    if (one.used) result.silencing.push_back(one.at);
  if (selection.runs(kUnusedSuppression, "")) report_unused(silenced, selection, result.findings);
  sort_and_merge(result.findings);
  return result;
}

}  // namespace forerun::engine
