#include "analyzer/cpp/parse.h"

#include "analyzer/cpp/gathering.h"
#include "analyzer/cpp/source_files.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/Stack.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace forerun::cpp {
namespace {

// Address space, not memory: pages are used only as deep as the recursion goes.
constexpr unsigned kStackBytes = 1U << 30;
// A broken file can have one error a token.
constexpr std::size_t kMessageLimit = 200;

class Collector : public clang::DiagnosticConsumer {
 public:
  Collector(std::vector<Message>& messages, std::string user_path)
      : messages_(messages), user_path_(std::move(user_path)) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Warning || messages_.size() >= kMessageLimit) return;
    // Templates of headers are left without bodies here, and Clang wonders where they are.
    if (info.getID() == clang::diag::err_undefined_internal_type) return;
    Message message;
    message.error = level >= clang::DiagnosticsEngine::Error;
    llvm::SmallString<256> text;
    info.FormatDiagnostic(text);
    message.text = std::string(text);
    if (info.hasSourceManager() && info.getLocation().isValid()) message.at = place(info);
    messages_.push_back(std::move(message));
  }

 private:
  Location place(const clang::Diagnostic& info) const {
    const clang::SourceManager& sources = info.getSourceManager();
    const clang::SourceLocation at = sources.getExpansionLoc(info.getLocation());
    const clang::PresumedLoc presumed = sources.getPresumedLoc(at, /*UseLineDirectives=*/false);
    if (presumed.isInvalid()) return {};
    const bool main = sources.getFileID(at) == sources.getMainFileID();
    return {main ? user_path_ : presumed.getFilename(),
            {static_cast<int>(presumed.getLine()), static_cast<int>(presumed.getColumn())},
            {}};
  }

  std::vector<Message>& messages_;
  std::string user_path_;
};

// Clang instantiates at the end of a unit every function template anything referred to: for
// LibTorch more than a second of work on code nobody looks at. Only those of the user's files are.
class Instantiations : public clang::ExternalSemaSource {
 public:
  Instantiations(clang::Sema& sema, const SourceFiles& files) : sema_(sema), files_(files) {}

  // Called once, at the end of the unit, before Sema works through what is pending.
  void ReadPendingInstantiations(
      llvm::SmallVectorImpl<std::pair<clang::ValueDecl*, clang::SourceLocation>>&) override {
    for (auto wanted = take(); !wanted.empty(); wanted = take()) {
      for (const auto& [declaration, at] : wanted) instantiate(declaration, at);
    }
  }

 private:
  using Pending = std::pair<clang::ValueDecl*, clang::SourceLocation>;

  std::vector<Pending> take() {
    std::vector<Pending> wanted;
    for (const Pending& pending : sema_.PendingInstantiations) {
      if (files_.is_user(pattern(pending.first))) wanted.push_back(pending);
    }
    sema_.PendingInstantiations.clear();
    return wanted;
  }

  static clang::SourceLocation pattern(const clang::ValueDecl* declaration) {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
      if (const auto* written = function->getTemplateInstantiationPattern())
        return written->getLocation();
    }
    return declaration->getLocation();
  }

  void instantiate(clang::ValueDecl* declaration, clang::SourceLocation at) {
    if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
      sema_.InstantiateFunctionDefinition(at, function, /*Recursive=*/false,
                                          /*DefinitionRequired=*/false,
                                          /*AtEndOfTU=*/true);
      function->setInstantiationIsPending(false);
    } else if (auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
      sema_.InstantiateVariableDefinition(at, variable, /*Recursive=*/false,
                                          /*DefinitionRequired=*/false,
                                          /*AtEndOfTU=*/true);
    }
  }

  clang::Sema& sema_;
  const SourceFiles& files_;
};

class Consumer : public clang::SemaConsumer {
 public:
  Consumer(const Gathering& gathered, const std::function<void(Unit&)>& visit)
      : gathered_(gathered), visit_(visit) {}

  void InitializeSema(clang::Sema& sema) override {
    instantiations_ = new Instantiations(sema, gathered_.files());
    sema.addExternalSource(instantiations_.get());
  }
  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    return !gathered_.files().is_user(*declaration);
  }
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group) {
      if (gathered_.files().is_user(*declaration)) declarations_.push_back(declaration);
    }
    return true;
  }
  void HandleTranslationUnit(clang::ASTContext& ast) override {
    Unit unit = gathered_.unit(ast, declarations_);
    visit_(unit);
  }

 private:
  const Gathering& gathered_;
  const std::function<void(Unit&)>& visit_;
  std::vector<clang::Decl*> declarations_;
  llvm::IntrusiveRefCntPtr<Instantiations> instantiations_;
};

class LowerAction : public clang::ASTFrontendAction {
 public:
  LowerAction(const ParseRequest& request, const std::function<void(Unit&)>& visit)
      : request_(request), visit_(visit) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    gathered_ =
        Gathering::listen(compiler.getPreprocessor(), request_.user_path, request_.directory);
    return std::make_unique<Consumer>(*gathered_, visit_);
  }

 private:
  const ParseRequest& request_;
  const std::function<void(Unit&)>& visit_;
  std::shared_ptr<Gathering> gathered_;
};

// Nothing of a torch header is looked into, so its bodies need not be in the precompiled header
// either.
class PchAction : public clang::GeneratePCHAction {
 public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<SkipBodies>());
    auto writer = GeneratePCHAction::CreateASTConsumer(compiler, file);
    if (!writer) return nullptr;
    consumers.push_back(std::move(writer));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

 private:
  struct SkipBodies : clang::ASTConsumer {
    bool shouldSkipFunctionBody(clang::Decl*) override { return true; }
  };
};

std::shared_ptr<clang::CompilerInvocation> invocation(const std::vector<std::string>& cc1,
                                                      clang::DiagnosticsEngine& diagnostics) {
  auto made = std::make_shared<clang::CompilerInvocation>();
  std::vector<const char*> arguments;
  for (const std::string& argument : cc1) arguments.push_back(argument.c_str());
  clang::CompilerInvocation::CreateFromArgs(*made, arguments, diagnostics);
  made->getFrontendOpts().DisableFree = false;
  made->getFrontendOpts().SkipFunctionBodies = true;
  made->getFrontendOpts().ShowStats = false;
  made->getDiagnosticOpts().IgnoreWarnings = true;
  made->getDiagnosticOpts().ShowCarets = false;
  made->getDiagnosticOpts().ErrorLimit = 0;
  made->getLangOpts().SpellChecking = false;  // guesses names at a cost, and they would be guesses
  made->getLangOpts().RetainCommentsFromSystemHeaders = false;
  made->getPreprocessorOpts().AllowPCHWithCompilerErrors = true;
  // The warning flags are no part of what a precompiled header depends on.
  made->getDiagnosticOpts().Warnings.clear();
  made->getDiagnosticOpts().Remarks.clear();
  return made;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const std::string& directory,
                                                            const std::optional<Unsaved>& unsaved) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = llvm::vfs::createPhysicalFileSystem();
  if (unsaved) {
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    llvm::SmallString<256> path(unsaved->path);
    files->makeAbsolute(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(unsaved->text));
    auto both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(files);
    both->pushOverlay(memory);
    files = both;
  }
  if (!directory.empty()) files->setCurrentWorkingDirectory(directory);
  return files;
}

llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics_for(Collector& collector) {
  return clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &collector,
                                                    /*ShouldOwn=*/false);
}

void run_action(const std::vector<std::string>& cc1, const std::string& directory,
                const std::optional<Unsaved>& unsaved, Collector& collector,
                const std::function<void(clang::CompilerInvocation&)>& adjust,
                clang::FrontendAction& action) {
  clang::noteBottomOfStack();
  clang::CompilerInstance compiler;
  const auto early = diagnostics_for(collector);
  compiler.setInvocation(invocation(cc1, *early));
  adjust(compiler.getInvocation());
  compiler.createDiagnostics(&collector, /*ShouldOwnClient=*/false);
  // Otherwise a missing include ends template instantiation for the rest of the file.
  compiler.getDiagnostics().setFatalsAsError(true);
  compiler.createFileManager(file_system(directory, unsaved));
  compiler.ExecuteAction(action);
}

}  // namespace

bool run_guarded(const std::function<void()>& work) {
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext context;
  return context.RunSafelyOnThread(work, kStackBytes);
}

DriverResult run_driver(const CommandLine& line, const std::optional<Unsaved>& unsaved) {
  DriverResult result;
  Collector collector(result.messages, line.arguments.back());
  std::vector<const char*> arguments;
  for (const std::string& argument : line.arguments) arguments.push_back(argument.c_str());
  clang::CreateInvocationOptions options;
  options.Diags = diagnostics_for(collector);
  options.VFS = file_system(line.directory, unsaved);
  options.RecoverOnError = true;
  options.CC1Args = &result.cc1;
  clang::createInvocation(arguments, options);
  return result;
}

Parsed parse(const ParseRequest& request, const std::function<void(Unit&)>& visit) {
  Parsed parsed;
  Collector collector(parsed.messages, request.user_path);
  parsed.crashed = !run_guarded([&] {
    LowerAction action(request, visit);
    run_action(
        request.cc1, request.directory, request.unsaved, collector,
        [&](clang::CompilerInvocation& made) {
          made.getFrontendOpts().ProgramAction = clang::frontend::ParseSyntaxOnly;
          if (!request.pch.empty()) made.getPreprocessorOpts().ImplicitPCHInclude = request.pch;
          // LibTorch's are system headers, and another release may have come into the same folder.
          made.getHeaderSearchOpts().ModulesValidateSystemHeaders = true;
        },
        action);
  });
  return parsed;
}

Parsed write_pch(const std::vector<std::string>& cc1, const std::string& directory,
                 const std::string& header, const std::string& output) {
  Parsed parsed;
  Collector collector(parsed.messages, header);
  parsed.crashed = !run_guarded([&] {
    PchAction action;
    run_action(
        cc1, directory, std::nullopt, collector,
        [&](clang::CompilerInvocation& made) {
          clang::FrontendOptions& options = made.getFrontendOpts();
          options.Inputs = {clang::FrontendInputFile(header, clang::Language::CXX)};
          options.ProgramAction = clang::frontend::GeneratePCH;
          options.OutputFile = output;
          made.getLangOpts().PCHInstantiateTemplates = true;
        },
        action);
  });
  return parsed;
}

}  // namespace forerun::cpp
