// Every rule, found by its folder; the list is generated at configure time.
#pragma once

#include <span>
#include <string_view>

#include "rules/rule.h"

namespace forerun::rules {

struct CatalogEntry {
  std::string_view id;     // the folder's name
  std::string_view group;  // the folder above it
  const Rule* rule;
  std::string_view page;  // rule.md
  std::string_view bad_py, good_py, bad_cpp,
      good_cpp;  // the fixtures, shown by `forerun explain`; may be empty
};

std::span<const CatalogEntry> catalog();  // sorted by group, then id

}  // namespace forerun::rules
