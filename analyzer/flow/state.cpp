#include "analyzer/flow/state.h"

#include <algorithm>

namespace forerun::flow {

bool contains(const Values& values, ValueId value) {
  return std::binary_search(values.begin(), values.end(), value);
}

bool intersect(const Values& a, const Values& b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) return true;
    a[i] < b[j] ? ++i : ++j;
  }
  return false;
}

bool add(Values& to, ValueId value) {
  const auto at = std::lower_bound(to.begin(), to.end(), value);
  if (at != to.end() && *at == value) return false;
  to.insert(at, value);
  return true;
}

bool add(Values& to, const Values& values) {
  bool grew = false;
  for (const ValueId value : values) grew |= add(to, value);
  return grew;
}

int SetTable::intern(const Values& values) {
  const auto [at, fresh] = numbers_.try_emplace(values, static_cast<int>(sets_.size()));
  if (fresh) sets_.push_back(&at->first);
  return at->second;
}

int SetTable::united(int a, int b) {
  if (a == b) return a;
  Values both = get(a);
  add(both, get(b));
  return intern(both);
}

const int* State::find(Key key) const {
  const auto at = std::lower_bound(slots_.begin(), slots_.end(), key,
                                   [](const Slot& slot, Key k) { return slot.key < k; });
  return at != slots_.end() && at->key == key ? &at->set : nullptr;
}

void State::set(Key key, int set) {
  const auto at = std::lower_bound(slots_.begin(), slots_.end(), key,
                                   [](const Slot& slot, Key k) { return slot.key < k; });
  if (at != slots_.end() && at->key == key) {
    at->set = set;
  } else {
    slots_.insert(at, {key, set});
  }
}

void State::drop_names(FrameId frame) {
  auto before = [](const Slot& slot, Key k) { return slot.key < k; };
  const auto first = std::lower_bound(slots_.begin(), slots_.end(), name_key(frame, 0), before);
  const auto last = std::lower_bound(first, slots_.end(), name_key(frame + 1, 0), before);
  slots_.erase(first, last);
}

}  // namespace forerun::flow
