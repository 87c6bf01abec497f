#include "analyzer/engine/check.h"

#include <algorithm>
#include <memory>
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

// The kinds of every operation in a block, however deep.
rules::Kinds kinds_in(const ir::Block& block) {
  rules::Kinds found = 0;
  for (const ir::Node& node : block) {
    if (const auto* op = std::get_if<ir::Op>(&node.value)) found |= rules::kinds(op->kind);
    ir::each_block(node, [&](const ir::Block& inner) { found |= kinds_in(inner); });
  }
  return found;
}

// The rules this program can concern at all; without any, nothing is expanded.
std::vector<const rules::CatalogEntry*> concerned(const ir::Program& program,
                                                  const Selection& selection) {
  rules::Kinds kinds = 0;
  for (const ir::Function& function : program.functions) kinds |= kinds_in(function.body);
  const auto framework = flow::framework(program);
  std::vector<const rules::CatalogEntry*> entries;
  for (const rules::CatalogEntry& entry : rules::catalog()) {
    if (framework && entry.rule->moot_under_framework) continue;
    if (entry.rule->needs != 0 && (entry.rule->needs & kinds) == 0) continue;
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

Checked check(const ir::Program& program, const Selection& selection) {
  Checked result;
  const auto entries = concerned(program, selection);
  const bool any_flow =
      std::any_of(entries.begin(), entries.end(),
                  [](const rules::CatalogEntry* entry) { return entry->rule->check != nullptr; });
  std::vector<std::unique_ptr<flow::Analysis>> analyses;
  if (any_flow) analyses = flow::analyse(program);
  std::vector<Finding> all;
  for (const rules::CatalogEntry* entry : entries) run_rule(*entry, program, selection, all);
  for (const auto& analysis : analyses) {
    if (!analysis->graph().whole) {
      result.notes.push_back(fmt::format("{}: '{}' is too large to follow whole; it is not checked",
                                         to_string(analysis->graph().root->at),
                                         analysis->graph().root->name));
      continue;
    }
    for (const rules::CatalogEntry* entry : entries) run_rule(*entry, *analysis, selection, all);
  }
  sort_and_merge(all);
  const std::vector<Suppression> silenced = suppressions(program.comments, program.language);
  for (Finding& finding : all) {
    if (is_suppressed(finding, group_of(finding.rule_id), silenced)) {
      ++result.suppressed;
    } else {
      result.findings.push_back(std::move(finding));
    }
  }
  if (selection.runs(kUnusedSuppression, "")) report_unused(silenced, selection, result.findings);
  sort_and_merge(result.findings);
  return result;
}

}  // namespace forerun::engine
