// What every place holds at one moment of the expansion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/flow/graph.h"

namespace forerun::flow {

// Sets of values by number, so that a state is a flat array and equal sets compare as integers.
class SetTable {
 public:
  SetTable() { intern({}); }
  SetTable(const SetTable&) = delete;
  int intern(const Values& values);
  const Values& get(int set) const { return *sets_[static_cast<std::size_t>(set)]; }
  int united(int a, int b);

 private:
  struct Hash {
    std::size_t operator()(const Values& values) const;
  };
  std::unordered_map<Values, int, Hash> numbers_;
  std::vector<const Values*> sets_;
  std::unordered_map<std::uint64_t, int> unions_;  // of two numbers
};

// Names of variables, members and elements by number.
class NameTable {
 public:
  int number(const std::string& text);
  const std::string& text(int number) const { return *texts_[static_cast<std::size_t>(number)]; }

 private:
  std::unordered_map<std::string, int> numbers_;
  std::vector<const std::string*> texts_;
};

// Both are the same whatever is expanded, and are shared by all entry points of a program.
struct Tables {
  SetTable sets;
  NameTable names;
};

using Key = std::uint64_t;
inline constexpr Key kMemberBit = Key{1} << 63;
inline Key name_key(FrameId frame, int name) {
  return Key(static_cast<std::uint32_t>(frame)) << 32 | static_cast<std::uint32_t>(name);
}
inline Key member_key(ValueId base, int step) { return kMemberBit | name_key(base, step); }
inline ValueId base_of(Key key) { return static_cast<ValueId>((key & ~kMemberBit) >> 32); }
inline int step_of(Key key) { return static_cast<int>(key & 0xffffffffu); }

// Copies share what they hold until one of them changes. What held when settle() was called lies
// below what changed since, and is neither copied nor compared again: states that are joined or
// compared come from the same settled one.
class State {
 public:
  bool reachable = true;
  Grad grad = Grad::On;  // set by a call of set_grad_enabled; scopes stand above it

  const int* find(Key key) const;
  void set(Key key, int set);
  void drop_names(FrameId frame);  // a frame's names, when nothing can read them again
  void settle();

  // After it this state holds what either held. `entry` gives what a member held before anything
  // was written to it.
  template <class Entry>
  void join(const State& other, SetTable& sets, Entry entry);
  bool operator==(const State& other) const;

 private:
  struct Slot {
    Key key;
    int set;
    bool operator==(const Slot&) const = default;
  };
  using Slots = std::vector<Slot>;  // sorted by key
  const Slots& slots() const;
  Slots& own();
  static const int* find_in(const Slots* slots, Key key);
  const int* settled(Key key) const { return find_in(base_.get(), key); }

  std::shared_ptr<const Slots> base_;
  std::shared_ptr<Slots> slots_;  // none: no slots; none of them holds what base_ does
};

template <class Entry>
void State::join(const State& other, SetTable& sets, Entry entry) {
  if (!other.reachable) return;
  if (!reachable) {
    *this = other;
    return;
  }
  if (grad != other.grad) grad = Grad::Unknown;
  if (slots_ == other.slots_) return;
  const Slots &mine = slots(), &others = other.slots();
  Slots joined;
  joined.reserve(std::max(mine.size(), others.size()) + 8);
  std::size_t i = 0, j = 0;
  // A name only one side knows keeps its value; a member the other side never wrote still holds
  // what it held on entry.
  auto put = [&](const Slot& slot) {
    const int* below = settled(slot.key);
    if (below == nullptr || *below != slot.set) joined.push_back(slot);
  };
  auto one_sided = [&](const Slot& slot) {
    const bool member = (slot.key & kMemberBit) != 0;
    if (const int* below = settled(slot.key)) return put({slot.key, sets.united(slot.set, *below)});
    joined.push_back({slot.key, member ? sets.united(slot.set, entry(slot.key)) : slot.set});
  };
  while (i < mine.size() || j < others.size()) {
    // Most of what two ways hold is the same.
    const auto [one, other_one] =
        std::mismatch(mine.begin() + static_cast<std::ptrdiff_t>(i), mine.end(),
                      others.begin() + static_cast<std::ptrdiff_t>(j), others.end());
    joined.insert(joined.end(), mine.begin() + static_cast<std::ptrdiff_t>(i), one);
    i = static_cast<std::size_t>(one - mine.begin());
    j = static_cast<std::size_t>(other_one - others.begin());
    if (i == mine.size() && j == others.size()) break;
    if (j == others.size() || (i < mine.size() && mine[i].key < others[j].key)) {
      one_sided(mine[i++]);
    } else if (i == mine.size() || others[j].key < mine[i].key) {
      one_sided(others[j++]);
    } else {
      put({mine[i].key, sets.united(mine[i].set, others[j].set)});
      ++i, ++j;
    }
  }
  if (joined == mine) return;
  if (joined == others) {
    slots_ = other.slots_;
    return;
  }
  slots_ = std::make_shared<Slots>(std::move(joined));
}

}  // namespace forerun::flow
