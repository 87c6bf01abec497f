#include "analyzer/tidy/session.h"

#include "analyzer/cpp/unit.h"
#include "analyzer/engine/check.h"
#include "analyzer/engine/fixes.h"
#include "clang/AST/ASTContext.h"

namespace forerun::tidy {
namespace {

// clang-tidy names the main file by its whole path, and so do its diagnostics.
std::string main_file(const clang::SourceManager& sources) {
  const auto entry = sources.getFileEntryRefForID(sources.getMainFileID());
  return entry ? entry->getName().str() : "";
}

std::string working_directory(const clang::SourceManager& sources) {
  const auto folder = sources.getFileManager().getVirtualFileSystem().getCurrentWorkingDirectory();
  return folder ? *folder : "";
}

std::vector<clang::Decl*> users_declarations(clang::ASTContext& ast,
                                             const cpp::SourceFiles& files) {
  std::vector<clang::Decl*> found;
  for (clang::Decl* declaration : ast.getTranslationUnitDecl()->decls()) {
    if (files.is_user(*declaration)) found.push_back(declaration);
  }
  return found;
}

}  // namespace

void Session::want(std::string_view id, std::optional<Level> level) {
  wanted_.emplace_back(id, level);
}

void Session::listen(clang::Preprocessor& preprocessor) {
  if (gathered_) return;
  const clang::SourceManager& sources = preprocessor.getSourceManager();
  gathered_ = cpp::Gathering::listen(preprocessor, main_file(sources), working_directory(sources));
}

std::vector<const Finding*> Session::findings(std::string_view id, clang::ASTContext& ast) {
  if (!done_) analyse(ast);
  std::vector<const Finding*> found;
  for (const Finding& finding : findings_) {
    if (finding.rule_id == id) found.push_back(&finding);
  }
  return found;
}

clang::SourceLocation Session::place(const std::string& file, Position at) const {
  if (!gathered_ || at.line < 1) return {};
  const auto id = gathered_->files().file(file);
  if (!id) return {};
  return gathered_->files().sources().translateLineCol(*id, static_cast<unsigned>(at.line),
                                                       static_cast<unsigned>(at.column));
}

void Session::analyse(clang::ASTContext& ast) {
  done_ = true;
  if (!gathered_) return;
  engine::Settings settings;
  for (const auto& [id, level] : wanted_) {
    settings.select.push_back({id, {}});
    if (level) settings.severity.emplace_back(engine::Settings::Word{id, {}}, *level);
  }
  engine::Checked checked;
  // As deep as a program nests: clang-tidy's own stack has no room for that.
  const bool whole = cpp::run_guarded([&] {
    const std::vector<clang::Decl*> declarations = users_declarations(ast, gathered_->files());
    ir::Program program;
    program.path = main_file(gathered_->files().sources());
    program.language = ir::Language::Cpp;
    cpp::lower_unit(gathered_->unit(ast, declarations), program);
    checked = engine::check(program, engine::Selection(std::move(settings)));
    notes_ = program.notes;
  });
  if (!whole) {
    notes_ = {"forerun crashed on this file; its checks say nothing of it"};
    return;
  }
  notes_.insert(notes_.end(), checked.notes.begin(), checked.notes.end());
  findings_ = std::move(checked.findings);
  engine::Texts texts;
  for (const Finding& finding : findings_) {
    for (const Fix& fix : finding.fixes) texts.emplace(fix.where.file, text(fix.where.file));
  }
  engine::keep_certain_fixes(findings_, texts);
}

std::string Session::text(const std::string& file) const {
  const auto id = gathered_->files().file(file);
  return id ? gathered_->files().sources().getBufferData(*id).str() : "";
}

}  // namespace forerun::tidy
