#include "analyzer/cpp/gathering.h"

#include "clang/Lex/PPCallbacks.h"

namespace forerun::cpp {
namespace {

class Includes : public clang::PPCallbacks {
 public:
  Includes(const clang::SourceManager& sources, std::shared_ptr<Gathering> into)
      : sources_(sources), into_(std::move(into)) {}

  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name,
                          bool angled, clang::CharSourceRange, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind kind) override {
    if (!into_->files().is_user(hash)) return;
    into_->add_include(name.str());
    if (!angled && file && kind == clang::SrcMgr::C_User)
      into_->files().note_quoted(&file->getFileEntry());
  }

  void FileChanged(clang::SourceLocation at, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override {
    if (reason != EnterFile) return;
    const clang::FileID id = sources_.getFileID(at);
    const clang::FileEntry* entry = sources_.getFileEntryForID(id);
    if (entry && into_->files().was_quoted(entry)) into_->files().add_header(id);
  }

 private:
  const clang::SourceManager& sources_;
  std::shared_ptr<Gathering> into_;
};

class Comments : public clang::CommentHandler {
 public:
  explicit Comments(Gathering& into) : into_(into) {}

  bool HandleComment(clang::Preprocessor& preprocessor, clang::SourceRange range) override {
    const SourceFiles& files = into_.files();
    if (!files.is_user(range.getBegin())) return false;
    const clang::SourceManager& sources = preprocessor.getSourceManager();
    const auto [file, begin] = sources.getDecomposedLoc(range.getBegin());
    const unsigned end = sources.getFileOffset(range.getEnd());
    const llvm::StringRef buffer = sources.getBufferData(file);
    ir::Comment comment;
    comment.text = inner(buffer.slice(begin, end));
    // The range of a comment ends after its last byte, where a token's would begin at its last
    // token.
    comment.at = files.location(clang::SourceRange(range.getBegin(), clang::SourceLocation()));
    comment.at.end = {static_cast<int>(sources.getLineNumber(file, end)),
                      static_cast<int>(sources.getColumnNumber(file, end))};
    const auto line = buffer.take_front(begin).rfind('\n');
    const llvm::StringRef before =
        buffer.slice(line == llvm::StringRef::npos ? 0 : line + 1, begin);
    comment.own_line = before.trim().empty();
    into_.add(std::move(comment));
    return false;
  }

 private:
  static std::string inner(llvm::StringRef text) {
    if (text.consume_front("/*")) {
      text.consume_back("*/");
    } else {
      text = text.ltrim('/');
    }
    return text.trim().str();
  }

  Gathering& into_;
};

}  // namespace

std::shared_ptr<Gathering> Gathering::listen(clang::Preprocessor& preprocessor,
                                             std::string user_path, std::string directory) {
  const clang::SourceManager& sources = preprocessor.getSourceManager();
  std::shared_ptr<Gathering> made(new Gathering(SourceFiles(
      sources, preprocessor.getLangOpts(), std::move(user_path), std::move(directory))));
  made->comment_handler_ = std::make_unique<Comments>(*made);
  preprocessor.addCommentHandler(made->comment_handler_.get());
  preprocessor.addPPCallbacks(std::make_unique<Includes>(sources, made));
  return made;
}

}  // namespace forerun::cpp
