#include "analyzer/cpp/frontend.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/cpp/flags.h"
#include "analyzer/cpp/parse.h"
#include "analyzer/cpp/pch.h"
#include "analyzer/cpp/unit.h"
#include "llvm/Support/MemoryBuffer.h"

namespace forerun::cpp {
namespace {

// Larger than any source a person wrote; generated tables are not training code.
constexpr std::size_t kFileLimit = std::size_t{16} << 20;
constexpr std::size_t kShownErrors = 5;

Status check_text(const std::string& path, llvm::StringRef text) {
  if (text.size() > kFileLimit) {
    return error_at({path, {}, {}}, fmt::format("{} bytes is more than is read", text.size()),
                    fmt::format("at most {} bytes", kFileLimit));
  }
  const auto zero = text.find('\0');
  if (zero == llvm::StringRef::npos) return Done{};
  const int line = static_cast<int>(text.take_front(zero).count('\n')) + 1;
  return error_at({path, {line, 1}, {}}, "not C++ text: it holds a zero byte");
}

Status check_file(const std::string& path) {
  const auto buffer = llvm::MemoryBuffer::getFile(path, false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return error_at({path, {}, {}}, fmt::format("cannot be read: {}", buffer.getError().message()));
  return check_text(path, (*buffer)->getBuffer());
}

std::string shown(const Message& message) {
  const std::string at = to_string(message.at);
  return at.empty() ? message.text : at + ": " + message.text;
}

void add_errors(const std::vector<Message>& messages, ir::Program& program) {
  std::size_t errors = 0;
  for (const Message& message : messages) {
    if (!message.error) continue;
    if (++errors <= kShownErrors) program.notes.push_back(shown(message));
  }
  if (errors > kShownErrors)
    program.notes.push_back(fmt::format("{} more errors", errors - kShownErrors));
}

const Message* first_error(const std::vector<Message>& messages) {
  const auto found = std::find_if(messages.begin(), messages.end(),
                                  [](const Message& message) { return message.error; });
  return found == messages.end() ? nullptr : &*found;
}

// Without the API's declarations nothing in the file means anything, and silence would pass for
// clean.
const Message* missing_torch_header(const std::vector<Message>& messages) {
  const auto is_torch = [](const Message& message) {
    const llvm::StringRef text = message.text;
    if (!message.error || !text.ends_with("file not found")) return false;
    // A header of LibTorch itself that wants one a build for another device would have: what it
    // declares is there.
    const llvm::StringRef file = message.at.file;
    for (const char* inside : {"include/torch/", "include/ATen/", "include/c10/"}) {
      if (file.contains(inside)) return false;
    }
    return text.starts_with("'torch/") || text.starts_with("'ATen/") || text.starts_with("'c10/");
  };
  const auto found = std::find_if(messages.begin(), messages.end(), is_torch);
  return found == messages.end() ? nullptr : &*found;
}

// Clang refuses a precompiled header whose inputs changed or whose options differ, and parses on
// without it.
bool pch_refused(const Parsed& parsed) {
  return parsed.crashed ||
         std::any_of(parsed.messages.begin(), parsed.messages.end(), [](const Message& message) {
           const bool named = message.text.find("PCH") != std::string::npos ||
                              message.text.find("AST file") != std::string::npos ||
                              message.text.find("precompiled header") != std::string::npos;
           return message.error && message.at.file.empty() && named;
         });
}

struct Run {
  Parsed parsed;
  ir::Program program;
};

Run run(const ParseRequest& request, const std::string& path) {
  Run result;
  result.program.path = path;
  result.program.language = ir::Language::Cpp;
  result.parsed = parse(request, [&](Unit& unit) { lower_unit(unit, result.program); });
  return result;
}

}  // namespace

Result<Lowered> lower(const std::string& path, const Options& options,
                      std::optional<std::string_view> text) {
  if (auto fit = text ? check_text(path, *text) : check_file(path); !fit) return fit.error();
  const auto unsaved = text ? std::optional<Unsaved>({path, *text}) : std::nullopt;
  auto line = command_line(path, options);
  if (!line) return line.error();
  Lowered lowered;
  lowered.flags_from = line->from;
  lowered.messages = line->messages;
  const DriverResult driver = run_driver(*line, unsaved);
  if (driver.cc1.empty()) {
    const Message* problem = first_error(driver.messages);
    return error_at({path, {}, {}}, problem ? problem->text : "Clang makes no use of these flags");
  }
  PchRequest wanted{driver.cc1,       line->directory, path, options.cache_path,
                    options.progress, false,           text};
  Pch pch = find_or_build_pch(wanted);
  ParseRequest request{driver.cc1, line->directory, pch.path, path, unsaved};
  Run done = run(request, path);
  if (!pch.path.empty() && pch_refused(done.parsed)) {
    wanted.rebuild = true;
    pch = find_or_build_pch(wanted);
    request.pch = pch.path;
    done = run(request, path);
    if (!pch.path.empty() && pch_refused(done.parsed)) {
      request.pch.clear();
      done = run(request, path);
    }
  }
  lowered.messages.insert(lowered.messages.end(), pch.messages.begin(), pch.messages.end());
  if (done.parsed.crashed) {
    return error_at({path, {}, {}}, "Clang crashed on this file",
                    "a file that clang++ -fsyntax-only can read");
  }
  if (const Message* missing = missing_torch_header(done.parsed.messages)) {
    return error_at(missing->at.file.empty() ? Location{path, {}, {}} : missing->at, missing->text,
                    "LibTorch's include folders in the flags, or no flags: they are found then");
  }
  const Message* problem = first_error(done.parsed.messages);
  const bool nothing = done.program.functions.empty() && done.program.classes.empty();
  if (nothing && problem) {
    return error_at(problem->at.file.empty() ? Location{path, {}, {}} : problem->at, problem->text);
  }
  for (const Message& message : driver.messages) lowered.messages.push_back(message.text);
  add_errors(done.parsed.messages, done.program);
  lowered.program = std::move(done.program);
  return lowered;
}

}  // namespace forerun::cpp
