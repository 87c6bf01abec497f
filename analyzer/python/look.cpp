#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "analyzer/lexicon/lexicon.h"
#include "analyzer/python/frontend.h"

namespace forerun::python {
namespace {

using ir::Kind;
using ir::Role;

// Bytes of other alphabets are letters (PEP 3131).
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_of_training(Role role) {
  switch (role) {
    case Role::Tensor:
    case Role::Module:
    case Role::Optimizer:
    case Role::Scheduler:
    case Role::Scaler:
    case Role::Loader:
    case Role::LossModule: return true;
    default: return false;
  }
}

// x.append, x.items and logger.info are said of anything.
bool is_of_training(Kind kind) {
  switch (kind) {
    case Kind::Append:
    case Kind::Remove:
    case Kind::Print:
    case Kind::Format:
    case Kind::Query:
    case Kind::Call: return false;
    default: return true;
  }
}

// Classes that count as modules for their base's name (rules/declarations.h).
bool names_a_module_class(std::string_view word) {
  static constexpr auto ends = std::to_array<std::string_view>(
      {"Module", "Sequential", "ModuleList", "Model", "Net", "Block", "Layer"});
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return word.ends_with(end); });
}

// How a word is used, as far as its neighbours tell.
struct Use {
  bool member = false;  // after a dot
  bool called = false;  // before an open bracket
};

// What rules look for by name, and the comments that silence them.
bool is_said_by_name(std::string_view word, Use use) {
  static constexpr auto parts = std::to_array<std::string_view>(
      {"grad", "tensor", "Tensor", "autocast", "state_dict", "noqa", "NOQA", "forerun", "Forerun"});
  static constexpr auto functions =
      std::to_array<std::string_view>({"dropout", "sqrt", "where", "eval"});
  auto in_word = [&](std::string_view part) { return contains(word, part); };
  return std::any_of(parts.begin(), parts.end(), in_word) ||
         (use.called && std::any_of(functions.begin(), functions.end(), in_word));
}

bool tells_of_training(std::string_view word, Use use) {
  if (is_said_by_name(word, use) || names_a_module_class(word)) return true;
  const std::string_view one = word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
  if (is_of_training(lexicon::role_from_name(word)) ||
      is_of_training(lexicon::role_from_class_name(word)) ||
      is_of_training(lexicon::role_from_name(one)))  // an element is named like the whole
    return true;
  if (use.called && is_of_training(lexicon::role_from_called_name(word))) return true;
  if (!use.member) return false;
  const auto meaning = lexicon::method(Role::Unknown, word);
  return is_of_training(lexicon::role_from_use(word)) || (meaning && is_of_training(meaning->kind));
}

// The next byte that is no space, from `at` on in steps of `step`.
char beside(std::string_view text, std::size_t at, int step) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' ||
                              text[at] == '\r' || text[at] == '\\'))
    at += static_cast<std::size_t>(step);
  return at < text.size() ? text[at] : '\0';
}

}  // namespace

bool may_concern_training(std::string_view text) {
  if (contains(text, "torch")) return true;
  std::array<std::unordered_set<std::string_view>, 4> known;  // of each use
  for (std::size_t at = 0; at < text.size();) {
    if (!is_letter(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_letter(text[at])) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    const Use use{beside(text, begin - 1, -1) == '.', beside(text, at, 1) == '('};
    auto& words = known[(use.member ? 1U : 0U) + (use.called ? 2U : 0U)];
    if (words.insert(word).second && tells_of_training(word, use)) return true;
  }
  return false;
}

}  // namespace forerun::python
