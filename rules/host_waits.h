// What makes the host wait for the device.
#pragma once

#include <optional>
#include <string>

#include "rules/rule.h"

namespace forerun::rules {

struct HostWait {
  flow::NodeId node = flow::kNone;
  std::string what;   // "item()", "printing a tensor"
  flow::Values read;  // the device value
};

// A read of a device value that waits for it, explicit synchronisation left out.
std::optional<HostWait> host_wait_at(const flow::Analysis& of, flow::NodeId node);
// A blocking read, an explicit synchronisation, or code that is not seen and gets a device value.
bool may_wait(const flow::Analysis& of, flow::NodeId node);

bool moves_to_host(const flow::Node& node);
bool is_non_blocking(const flow::Node& node);
bool is_non_blocking(const ir::Op& op);

}  // namespace forerun::rules
