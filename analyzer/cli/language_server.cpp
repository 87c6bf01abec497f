#include "analyzer/cli/language_server.h"

#include <cerrno>
#include <cstdio>

#include <unistd.h>

#include "analyzer/cli/lint.h"
#include "analyzer/cli/sources.h"
#include "analyzer/lsp/framing.h"
#include "analyzer/lsp/server.h"

namespace forerun::cli {
namespace {

constexpr const char* kProgram = "forerun lint";
constexpr int kExitWithoutShutdown = 1;

Result<lsp::Checked> check(const Arguments& arguments, const std::string& path,
                           const std::string& text) {
  if (!is_python(path) && !is_cpp(path))
    return error_at({path, {}, {}}, "is neither Python nor C++ by its name");
  auto linted = lint_text(arguments, path, text);
  if (!linted) return linted.error();
  return lsp::Checked{std::move(linted->report.findings), text};
}

void send(const nlohmann::json& message) {
  const std::string text =
      lsp::framed(message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// False at the end of the stream.
bool read_more(lsp::Framing& framing) {
  char bytes[1 << 16];
  ssize_t count = 0;
  do {
    count = ::read(STDIN_FILENO, bytes, sizeof bytes);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  framing.feed({bytes, static_cast<std::size_t>(count)});
  return true;
}

}  // namespace

int serve(const Arguments& arguments) {
  lsp::Server server([&](const std::string& path, const std::string& text) {
    return check(arguments, path, text);
  });
  lsp::Framing framing;
  while (true) {
    const auto message = framing.next();
    if (!message) return complain(kProgram, message.error());
    if (!*message) {
      if (!read_more(framing)) return kExitWithoutShutdown;
      continue;
    }
    for (const nlohmann::json& answer : server.handle(**message)) send(answer);
    if (server.finished()) return server.exit_code();
  }
}

}  // namespace forerun::cli
