// Health checks: small experiments with a known outcome that say whether training works at all on
// this machine. One folder a check, verifier/checks/<id>/check.cpp, gathered by
// cmake/Catalog.cmake; the C++ object is the id with underscores.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace forerun::checks {

struct Outcome {
  bool passed = false;
  std::string line;      // what was measured, one line
  std::string expected;  // what passing means
};

struct Check {
  std::string_view summary;  // one line for --check list
  Outcome (*run)();
};

struct CatalogEntry {
  std::string_view id;
  const Check* check;
};

std::span<const CatalogEntry> catalog();  // sorted by id

}  // namespace forerun::checks
