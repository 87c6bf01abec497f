#include <set>

#include "rules/scaling.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::Values;
using ir::Kind;

bool is_made_here(const Analysis& of, const Values& scaler) {
  for (const flow::ValueId one : scaler) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr && maker->kind == Kind::Construct) return true;
  }
  return false;
}

// The scaler steps, round after round, and its scale is never adjusted: after
// the first overflow every step is skipped, and the second unscale raises.
void check(const Analysis& of, Findings& found) {
  std::set<Values> reported;
  for (const NodeId step : of.all(Kind::ScalerStep)) {
    const Values& scaler = of.node(step).receiver;
    if (scaler.empty() || is_disabled(of, scaler) || reported.contains(scaler)) continue;
    if (of.innermost_loop(step) == flow::kNone && !is_made_here(of, scaler)) continue;
    if (updates_somewhere(of, scaler)) continue;
    reported.insert(scaler);
    found.at(step, "the scaler steps, and its update() is never called")
        .help("call " + called(of, scaler, "scaler") + ".update() after the step");
  }
}

}  // namespace

extern const Rule scaler_update_missing;
constinit const Rule scaler_update_missing{Level::Error, check, kinds(Kind::ScalerStep), true};

}  // namespace forerun::rules
