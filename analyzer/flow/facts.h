// Which values carry a graph and which live on the device: least facts over the value graph.
// Internal to analyzer/flow.
#pragma once

#include <map>
#include <vector>

#include "analyzer/flow/analysis.h"

namespace forerun::flow {

class Facts {
 public:
  explicit Facts(const Analysis& analysis);
  std::vector<History> history;
  std::vector<Device> device;

 private:
  History history_of(ValueId id) const;
  History result_history(const Value& value, const Node& node) const;
  History forward_history(const Node& node) const;
  Device device_of(ValueId id) const;
  Device result_device(const Value& value, const Node& node) const;
  Device moved_to(const Node& node) const;
  History joined(const Values& values) const;
  Device joined_device(const Values& values) const;
  bool on_host(ValueId module) const;  // made here and never moved
  bool look_for_moves(ValueId module) const;
  bool is_frozen(ValueId module) const;
  void run();

  const Analysis& analysis_;
  const Graph& graph_;
  std::vector<bool> backwarded_, moved_, frozen_;
  mutable std::map<ValueId, bool> on_host_;
};

}  // namespace forerun::flow
