// C++ has no autocast guard: programs switch it on and off by hand.
#pragma once

#include <optional>
#include <string>

#include "rules/rule.h"

namespace forerun::rules {

// A call that switches autocast on, or off, with a literal; std::nullopt for anything else. The
// spellings are at::autocast::set_enabled, set_cpu_enabled, set_xpu_enabled … (LibTorch 1.10 on)
// and set_autocast_enabled(device, on) (2.4 on).
std::optional<bool> sets_autocast(const flow::Node& node);
// Rule::trigger of rules that start from such a call.
std::uint32_t autocast_trigger(const ir::Op& op);

// "cuda", "cpu" …: the device the call is about, as far as it says.
std::string autocast_device(const flow::Node& node);

}  // namespace forerun::rules
