#include "analyzer/cpp/source_files.h"

#include <filesystem>

#include "clang/Lex/Lexer.h"

namespace forerun::cpp {

namespace fs = std::filesystem;

SourceFiles::SourceFiles(const clang::SourceManager& sources, const clang::LangOptions& language,
                         std::string user_path, std::string directory)
    : sources_(sources),
      language_(language),
      user_path_(std::move(user_path)),
      directory_(std::move(directory)) {}

bool SourceFiles::is_user_file(clang::FileID file) const {
  return file == sources_.getMainFileID() || headers_.contains(file);
}

bool SourceFiles::is_user(clang::SourceLocation at) const {
  if (at.isInvalid()) return false;
  return is_user_file(sources_.getFileID(sources_.getExpansionLoc(at)));
}

Location SourceFiles::location(clang::SourceRange range) const {
  Location at;
  if (range.getBegin().isInvalid()) return at;
  const clang::SourceLocation begin = sources_.getExpansionLoc(range.getBegin());
  const auto [file, offset] = sources_.getDecomposedLoc(begin);
  at.file = file_name(file);
  at.begin = {static_cast<int>(sources_.getLineNumber(file, offset)),
              static_cast<int>(sources_.getColumnNumber(file, offset))};
  if (range.getEnd().isInvalid()) return at;
  const clang::SourceLocation last = sources_.getExpansionRange(range.getEnd()).getEnd();
  const clang::SourceLocation end = clang::Lexer::getLocForEndOfToken(last, 0, sources_, language_);
  if (end.isInvalid()) return at;
  const auto [end_file, end_offset] = sources_.getDecomposedLoc(end);
  if (end_file != file || end_offset < offset) return at;
  at.end = {static_cast<int>(sources_.getLineNumber(file, end_offset)),
            static_cast<int>(sources_.getColumnNumber(file, end_offset))};
  return at;
}

std::string SourceFiles::text(clang::SourceRange range) const {
  const auto characters = sources_.getExpansionRange(range);
  return clang::Lexer::getSourceText(characters, sources_, language_).str();
}

std::optional<clang::FileID> SourceFiles::file(const std::string& name) const {
  for (const auto& [file, known] : names_) {
    if (known == name) return file;
  }
  return std::nullopt;
}

// The main file as named; a file below its folder with the same prefix; others as Clang found them.
const std::string& SourceFiles::file_name(clang::FileID file) const {
  const auto known = names_.find(file);
  if (known != names_.end()) return known->second;
  std::string name = user_path_;
  if (file != sources_.getMainFileID()) {
    const auto entry = sources_.getFileEntryRefForID(file);
    name = entry ? entry->getName().str() : std::string();
    std::error_code failed;
    const fs::path main = fs::absolute(user_path_, failed).lexically_normal();
    const fs::path whole = (fs::path(directory_) / name).is_absolute()
                               ? (fs::path(directory_) / name).lexically_normal()
                               : fs::absolute(name, failed).lexically_normal();
    const fs::path relative = whole.lexically_relative(main.parent_path());
    if (!relative.empty())
      name = (fs::path(user_path_).parent_path() / relative).lexically_normal().string();
    if (name.starts_with("..") && !fs::path(user_path_).is_absolute() &&
        !user_path_.starts_with("..")) {
      name = whole.string();
    }
  }
  return names_.emplace(file, std::move(name)).first->second;
}

}  // namespace forerun::cpp
