// The Python files of one run, as far as they import each other.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"
#include "analyzer/link/modules.h"
#include "analyzer/link/surroundings.h"

namespace forerun::cli {

// Safe from several threads. Holds at most kMostHeld programs at a time, however many files there
// are.
class Package {
 public:
  static constexpr std::size_t kMostHeld = 64;

  explicit Package(const std::vector<std::string>& files);
  // Adds what the program imports from the other files (analyzer/link).
  void link(ir::Program& program);
  // What that depends on besides the file's own text.
  std::string digest(const std::string& file, std::string_view text) {
    return surroundings_.digest(file, text);
  }

 private:
  std::shared_ptr<const ir::Program> program(const std::string& file);

  const link::Modules modules_;
  link::Surroundings surroundings_;
  std::mutex guard_;
  std::map<std::string, std::shared_ptr<const ir::Program>> held_;
  std::deque<std::string> order_;  // of held_, oldest first
};

}  // namespace forerun::cli
