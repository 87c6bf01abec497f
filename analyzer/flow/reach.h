// What the expansion of a function may come upon, told without expanding it. A bound from above: an
// entry point that cannot come upon what a rule is about need not be expanded for it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/ir/ir.h"

namespace forerun::flow {

// Bits of an operation's own, for whoever asks.
using Mark = std::function<std::uint64_t(const ir::Op&)>;

struct Reached {
  std::uint64_t kinds = 0;  // 1 << kind of every operation that runs once the function is entered
  std::uint64_t marks = 0;  // of those, and of what runs before it: module level, its constructor
};

// Calls are followed by name alone, so that whatever Builder expands is included. If A may expand
// B, A reaches all that B does.
class Reach {
 public:
  Reach(const ir::Program& program, const Mark& mark);
  // Of a function of the program, nested ones included.
  Reached of(const ir::Function& function) const;
  // Functions defined inside others, in the order in which they stand.
  const std::vector<const ir::Function*>& nested() const { return nested_; }
  // A function of this last name is called, or named as a value, somewhere.
  bool mentions(std::string_view last_name) const;

 private:
  struct Entry {
    const ir::Function* function = nullptr;
    Reached own;
    std::vector<std::uint32_t> calls, names;  // entries: called by name; named as a value
    std::vector<std::uint32_t> before;        // its class's constructor
    Reached all;
    std::uint64_t given = 0;  // kinds reached through functions that it names as values
  };
  friend class ReachBuilder;
  void close();

  std::vector<Entry> entries_;
  std::unordered_map<const ir::Function*, std::uint32_t> number_;
  std::vector<const ir::Function*> nested_;
  std::unordered_map<std::string_view, bool> mentioned_;  // every last name of a function
  std::uint32_t module_ = kNoModule;
  static constexpr std::uint32_t kNoModule = ~std::uint32_t{0};
};

}  // namespace forerun::flow
