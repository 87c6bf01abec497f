// One analysis of a translation unit that clang-tidy parsed, shared by all checks of this plugin.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cpp/gathering.h"
#include "core/finding.h"

namespace clang {
class ASTContext;
class Preprocessor;
}  // namespace clang

namespace forerun::tidy {

class Session {
 public:
  // A rule that is to run, before the unit is parsed; `level` instead of its own.
  void want(std::string_view id, std::optional<Level> level);
  // Before the main file is entered; only the first call of a unit counts.
  void listen(clang::Preprocessor& preprocessor);

  // What one rule found in the finished unit. The first call analyses for every rule.
  std::vector<const Finding*> findings(std::string_view id, clang::ASTContext& ast);
  // What could not be judged, for the first who asks after that.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
  bool is_done() const { return done_; }

  // A place of a finding in Clang's terms; invalid when it is in no file of this unit.
  clang::SourceLocation place(const std::string& file, Position at) const;

 private:
  void analyse(clang::ASTContext& ast);
  std::string text(const std::string& file) const;

  std::vector<std::pair<std::string, std::optional<Level>>> wanted_;
  std::shared_ptr<cpp::Gathering> gathered_;
  std::vector<Finding> findings_;
  std::vector<std::string> notes_;
  bool done_ = false;
};

}  // namespace forerun::tidy
