// What every place holds at one moment of the expansion.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/flow/graph.h"

namespace forerun::flow {

// Sets of values by number, so that a state is a flat array and equal sets compare as integers.
class SetTable {
 public:
  SetTable() { intern({}); }
  int intern(const Values& values);
  const Values& get(int set) const { return *sets_[static_cast<std::size_t>(set)]; }
  int united(int a, int b);

 private:
  std::map<Values, int> numbers_;
  std::vector<const Values*> sets_;
};

using Key = std::uint64_t;
inline constexpr Key kMemberBit = Key{1} << 63;
inline Key name_key(FrameId frame, int name) {
  return Key(static_cast<std::uint32_t>(frame)) << 32 | static_cast<std::uint32_t>(name);
}
inline Key member_key(ValueId base, int step) { return kMemberBit | name_key(base, step); }
inline ValueId base_of(Key key) { return static_cast<ValueId>((key & ~kMemberBit) >> 32); }
inline int step_of(Key key) { return static_cast<int>(key & 0xffffffffu); }

class State {
 public:
  bool reachable = true;
  Grad grad = Grad::On;  // set by a call of set_grad_enabled; scopes stand above it

  const int* find(Key key) const;
  void set(Key key, int set);
  void drop_names(FrameId frame);  // a frame's names, when nothing can read them again

  // After it this state holds what either held. `entry` gives what a member held before anything
  // was written to it.
  template <class Entry>
  void join(const State& other, SetTable& sets, Entry entry);
  bool operator==(const State&) const = default;

 private:
  struct Slot {
    Key key;
    int set;
    bool operator==(const Slot&) const = default;
  };
  std::vector<Slot> slots_;  // sorted by key
};

template <class Entry>
void State::join(const State& other, SetTable& sets, Entry entry) {
  if (!other.reachable) return;
  if (!reachable) {
    *this = other;
    return;
  }
  if (grad != other.grad) grad = Grad::Unknown;
  std::vector<Slot> joined;
  joined.reserve(slots_.size() + other.slots_.size());
  std::size_t i = 0, j = 0;
  // A name only one side knows keeps its value; a member the other side never wrote still holds
  // what it held on entry.
  auto one_sided = [&](const Slot& slot) {
    const bool member = (slot.key & kMemberBit) != 0;
    joined.push_back({slot.key, member ? sets.united(slot.set, entry(slot.key)) : slot.set});
  };
  while (i < slots_.size() || j < other.slots_.size()) {
    if (j == other.slots_.size() || (i < slots_.size() && slots_[i].key < other.slots_[j].key)) {
      one_sided(slots_[i++]);
    } else if (i == slots_.size() || other.slots_[j].key < slots_[i].key) {
      one_sided(other.slots_[j++]);
    } else {
      joined.push_back({slots_[i].key, sets.united(slots_[i].set, other.slots_[j].set)});
      ++i, ++j;
    }
  }
  slots_ = std::move(joined);
}

}  // namespace forerun::flow
