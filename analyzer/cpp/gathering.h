// What a unit is made of besides its syntax tree: which files are the user's, their comments and
// includes. Gathered while Clang preprocesses, whether the parse is ours or of a host that lets
// others listen (clang-tidy).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/cpp/parse.h"
#include "analyzer/cpp/source_files.h"
#include "clang/Lex/Preprocessor.h"

namespace forerun::cpp {

class Gathering {
 public:
  // To be called before the main file is entered. `preprocessor` keeps what it returns alive.
  // `directory`: what relative paths in the flags are relative to.
  static std::shared_ptr<Gathering> listen(clang::Preprocessor& preprocessor, std::string user_path,
                                           std::string directory);

  SourceFiles& files() { return files_; }
  const SourceFiles& files() const { return files_; }
  // `declarations` outlives the unit.
  Unit unit(clang::ASTContext& ast, const std::vector<clang::Decl*>& declarations) const {
    return {ast, files_, declarations, comments_, includes_};
  }

  void add(ir::Comment comment) { comments_.push_back(std::move(comment)); }
  void add_include(std::string name) { includes_.push_back(std::move(name)); }

 private:
  explicit Gathering(SourceFiles files) : files_(std::move(files)) {}

  SourceFiles files_;
  std::vector<ir::Comment> comments_;
  std::vector<std::string> includes_;
  std::unique_ptr<clang::CommentHandler> comment_handler_;
};

}  // namespace forerun::cpp
