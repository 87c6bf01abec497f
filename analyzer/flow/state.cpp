#include "analyzer/flow/state.h"

#include <algorithm>
#include <iterator>

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
  if (to.empty()) {
    to = values;
    return !values.empty();
  }
  bool grew = false;
  for (const ValueId value : values) grew |= add(to, value);
  return grew;
}

std::size_t SetTable::Hash::operator()(const Values& values) const {
  std::uint64_t hash = values.size();
  for (const ValueId value : values)
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

int SetTable::intern(const Values& values) {
  const auto [at, fresh] = numbers_.try_emplace(values, static_cast<int>(sets_.size()));
  if (fresh) sets_.push_back(&at->first);
  return at->second;
}

int SetTable::united(int a, int b) {
  if (a == b) return a;
  const std::uint64_t pair =
      static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint32_t>(std::max(a, b));
  const auto [known, is_new] = unions_.try_emplace(pair, 0);
  if (!is_new) return known->second;
  Values both;
  std::set_union(get(a).begin(), get(a).end(), get(b).begin(), get(b).end(),
                 std::back_inserter(both));
  return known->second = intern(both);
}

int NameTable::number(const std::string& text) {
  const auto [at, is_new] = numbers_.try_emplace(text, static_cast<int>(texts_.size()));
  if (is_new) texts_.push_back(&at->first);
  return at->second;
}

const State::Slots& State::slots() const {
  static const Slots none;
  return slots_ ? *slots_ : none;
}

State::Slots& State::own() {
  if (!slots_) {
    slots_ = std::make_shared<Slots>();
  } else if (slots_.use_count() > 1) {
    slots_ = std::make_shared<Slots>(*slots_);
  }
  return *slots_;
}

bool State::operator==(const State& other) const {
  return reachable == other.reachable && grad == other.grad &&
         (slots_ == other.slots_ || slots() == other.slots());
}

const int* State::find_in(const Slots* slots, Key key) {
  if (slots == nullptr) return nullptr;
  const auto at = std::lower_bound(slots->begin(), slots->end(), key,
                                   [](const Slot& slot, Key k) { return slot.key < k; });
  return at != slots->end() && at->key == key ? &at->set : nullptr;
}

const int* State::find(Key key) const {
  const int* changed = find_in(slots_.get(), key);
  return changed != nullptr ? changed : settled(key);
}

void State::set(Key key, int set) {
  const int* held = find(key);
  if (held != nullptr && *held == set) return;
  const int* below = settled(key);
  const bool back = below != nullptr && *below == set;
  Slots& all = own();
  const auto at = std::lower_bound(all.begin(), all.end(), key,
                                   [](const Slot& slot, Key k) { return slot.key < k; });
  if (back) {
    all.erase(at);
  } else if (at != all.end() && at->key == key) {
    at->set = set;
  } else {
    all.insert(at, {key, set});
  }
}

void State::settle() {
  base_ = std::move(slots_);
  slots_ = nullptr;
}

void State::drop_names(FrameId frame) {
  auto before = [](const Slot& slot, Key k) { return slot.key < k; };
  const Slots& all = slots();
  const auto first = std::lower_bound(all.begin(), all.end(), name_key(frame, 0), before);
  const auto last = std::lower_bound(first, all.end(), name_key(frame + 1, 0), before);
  if (first == last) return;
  const auto begin = first - all.begin(), end = last - all.begin();
  Slots& mine = own();
  mine.erase(mine.begin() + begin, mine.begin() + end);
}

}  // namespace forerun::flow
