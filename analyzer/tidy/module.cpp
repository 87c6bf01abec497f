// The plugin: every rule for C++ as a clang-tidy check `forerun-ID`.
#include <map>
#include <mutex>

#include "analyzer/engine/selection.h"
#include "analyzer/tidy/session.h"
#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "rules/catalog.h"

namespace clang::tidy {

template <>
struct OptionEnumMapping<forerun::Level> {
  static llvm::ArrayRef<std::pair<forerun::Level, llvm::StringRef>> getEnumMapping() {
    static constexpr std::pair<forerun::Level, llvm::StringRef> kNames[] = {
        {forerun::Level::Note, "note"}, {forerun::Level::Warning, "warning"}};
    return kNames;
  }
};

}  // namespace clang::tidy

namespace forerun::tidy {
namespace {

using clang::DiagnosticIDs;

constexpr llvm::StringRef kPrefix = "forerun-";

// clang-tidy makes all checks of a unit before it parses it, and forgets them before it makes the
// next unit's.
class Sessions {
 public:
  std::shared_ptr<Session> of(const void* context) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Session> session = open_[context].lock();
    if (session && !session->is_done()) return session;
    session = std::make_shared<Session>();
    open_[context] = session;
    return session;
  }

 private:
  std::mutex mutex_;
  std::map<const void*, std::weak_ptr<Session>> open_;
};

class Check : public clang::tidy::ClangTidyCheck {
 public:
  Check(llvm::StringRef name, std::string_view id, clang::tidy::ClangTidyContext* context,
        std::shared_ptr<Session> session)
      : ClangTidyCheck(name, context),
        id_(id),
        level_(Options.get<Level>("Level")),
        context_(context),
        session_(std::move(session)) {
    session_->want(id_, level_);
  }

  bool isLanguageVersionSupported(const clang::LangOptions& language) const override {
    return language.CPlusPlus;
  }

  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap& options) override {
    if (level_) Options.store(options, "Level", *level_);
  }

  void registerPPCallbacks(const clang::SourceManager&, clang::Preprocessor* preprocessor,
                           clang::Preprocessor*) override {
    session_->listen(*preprocessor);
  }

  void registerMatchers(clang::ast_matchers::MatchFinder* finder) override {
    finder->addMatcher(clang::ast_matchers::translationUnitDecl(), this);
  }

  void check(const clang::ast_matchers::MatchFinder::MatchResult& unit) override {
    for (const Finding* finding : session_->findings(id_, *unit.Context)) report(*finding);
    const clang::SourceManager& sources = *unit.SourceManager;
    for (const std::string& note : session_->take_notes()) {
      context_->diag("forerun", sources.getLocForStartOfFile(sources.getMainFileID()), "%0",
                     DiagnosticIDs::Remark)
          << note;
    }
  }

 private:
  // An error would stop clang-tidy's fixes, which is for code that does not compile.
  static DiagnosticIDs::Level level_of(const Finding& finding) {
    return finding.level == Level::Note ? DiagnosticIDs::Remark : DiagnosticIDs::Warning;
  }

  void report(const Finding& finding) {
    const clang::SourceLocation at = session_->place(finding.location.file, finding.location.begin);
    if (at.isInvalid()) return;
    {
      auto told = diag(at, "%0", level_of(finding));
      told << finding.message;
      for (const Fix& fix : finding.fixes) mend(fix, told);
    }
    for (const Finding::Related& related : finding.related)
      note(session_->place(related.location.file, related.location.begin), at, related.message);
    if (!finding.help.empty()) note(at, at, "help: " + finding.help);
  }

  void note(clang::SourceLocation at, clang::SourceLocation otherwise, const std::string& text) {
    diag(at.isValid() ? at : otherwise, "%0", DiagnosticIDs::Note) << text;
  }

  void mend(const Fix& fix, clang::DiagnosticBuilder& told) {
    const bool inserts = fix.where.end.line == 0;
    const auto begin = session_->place(fix.where.file, fix.where.begin);
    const auto end = inserts ? begin : session_->place(fix.where.file, fix.where.end);
    if (begin.isInvalid() || end.isInvalid()) return;
    told << clang::FixItHint::CreateReplacement(clang::CharSourceRange::getCharRange(begin, end),
                                                fix.replacement);
  }

  std::string_view id_;
  std::optional<Level> level_;
  clang::tidy::ClangTidyContext* context_;
  std::shared_ptr<Session> session_;
};

class Module : public clang::tidy::ClangTidyModule {
 public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    for (const rules::CatalogEntry& entry : rules::catalog()) {
      if (!entry.bad_cpp.empty()) add(entry.id, factories);  // else it is for Python alone
    }
    add(engine::kUnusedSuppression, factories);
  }

 private:
  void add(std::string_view id, clang::tidy::ClangTidyCheckFactories& factories) {
    factories.registerCheckFactory(
        (kPrefix + llvm::StringRef(id)).str(),
        [id, sessions = sessions_](llvm::StringRef name, clang::tidy::ClangTidyContext* context) {
          return std::make_unique<Check>(name, id, context, sessions->of(context));
        });
  }

  std::shared_ptr<Sessions> sessions_ = std::make_shared<Sessions>();
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module> kRegistered(
    "forerun-module", "checks of training code that uses LibTorch");

}  // namespace
}  // namespace forerun::tidy
