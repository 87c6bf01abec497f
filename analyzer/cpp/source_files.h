// Which files of a translation unit are the user's, and what they are called.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "clang/AST/DeclBase.h"
#include "clang/Basic/SourceManager.h"
#include "core/source.h"

namespace forerun::cpp {

class SourceFiles {
 public:
  // `user_path` is the main file as the user named it; files beside it are named in the same way.
  SourceFiles(const clang::SourceManager& sources, const clang::LangOptions& language,
              std::string user_path, std::string directory);

  // A header that a user's file includes by quotes.
  void add_header(clang::FileID file) { headers_.insert(file); }
  void note_quoted(const clang::FileEntry* file) { quoted_.insert(file); }
  bool was_quoted(const clang::FileEntry* file) const { return quoted_.contains(file); }

  bool is_user_file(clang::FileID file) const;
  bool is_user(clang::SourceLocation at) const;
  bool is_user(const clang::Decl& decl) const { return is_user(decl.getLocation()); }

  // Macros count where they are expanded. The end is one past the last byte.
  Location location(clang::SourceRange range) const;
  std::string text(clang::SourceRange range) const;
  // The other way round: a file by the name that location() gave it.
  std::optional<clang::FileID> file(const std::string& name) const;
  // 0 for the main file's own order; headers come in the order they are included.
  bool before(clang::SourceLocation a, clang::SourceLocation b) const {
    return sources_.isBeforeInTranslationUnit(a, b);
  }
  const clang::SourceManager& sources() const { return sources_; }
  const clang::LangOptions& language() const { return language_; }

 private:
  const std::string& file_name(clang::FileID file) const;

  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  std::string user_path_;
  std::string directory_;
  std::set<clang::FileID> headers_;
  std::set<const clang::FileEntry*> quoted_;
  mutable std::map<clang::FileID, std::string> names_;
};

}  // namespace forerun::cpp
