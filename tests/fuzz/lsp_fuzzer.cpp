// Any bytes from a language client, in pieces: the first byte says how long they are. Every answer
// is JSON.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/lsp/framing.h"
#include "analyzer/lsp/server.h"

namespace {

forerun::Result<forerun::lsp::Checked> check(const std::string& path, const std::string& text) {
  forerun::Finding finding;
  finding.rule_id = "zero-grad-missing";
  finding.location = {path, {2, 3}, {2, 9}};
  finding.related.push_back({{path, {1, 1}, {}}, "here"});
  finding.fixes.push_back({"mend", {path, {2, 3}, {9, 9}}, "x"});
  return forerun::lsp::Checked{{finding}, text};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::max<std::size_t>(data[0], 1);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  forerun::lsp::Server server(check);
  forerun::lsp::Framing framing;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    framing.feed(text.substr(at, piece));
    for (auto message = framing.next();; message = framing.next()) {
      if (!message) return 0;  // the stream cannot be read on
      if (!*message) break;
      for (const auto& answer : server.handle(**message))
        answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      if (server.finished()) return 0;
    }
  }
  return 0;
}
