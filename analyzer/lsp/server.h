// A language server over LSP 3.17 (JSON-RPC 2.0): documents in, diagnostics and quick fixes out. It
// reads and writes nothing itself: messages come in and go out as JSON, and what a document's
// findings are is asked of whoever made the server.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "analyzer/lsp/positions.h"
#include "core/finding.h"
#include "core/result.h"

namespace forerun::lsp {

struct Checked {
  std::vector<Finding> findings;  // of any file; those of the document are shown
  std::string text;               // of the document, as it was checked
};

// Checks a document: its path, and its text as the editor has it.
using Check = std::function<Result<Checked>(const std::string& path, const std::string& text)>;

class Server {
 public:
  explicit Server(Check check) : check_(std::move(check)) {}

  // Takes one message (request, notification or nonsense) and gives what is to be sent, in order.
  std::vector<nlohmann::json> handle(const std::string& message);

  // The client said `exit`: the process ends with this status, 0 after a `shutdown`.
  bool finished() const { return finished_; }
  int exit_code() const { return shut_down_ ? 0 : 1; }

 private:
  using Json = nlohmann::json;
  struct Document {
    std::string path, text;
    std::int64_t version = 0;
    std::vector<Finding> findings;
  };

  void dispatch(const Json& message, const std::string& method);
  void request(const Json& message, const std::string& method);
  void notification(const Json& message, const std::string& method);
  void initialize(const Json& id, const Json& parameters);
  void code_actions(const Json& id, const Json& parameters);
  void opened(const Json& parameters);
  void changed(const Json& parameters);
  void closed(const Json& parameters);
  void check(const std::string& uri);
  void publish(const std::string& uri, const Document& document);

  Json diagnostic(const Finding& finding, const Document& document) const;
  Json range(const Location& at, const std::string& text) const;
  Json edit(const Finding& finding, const Document& document) const;

  void send(Json message) { outgoing_.push_back(std::move(message)); }
  void reply(const Json& id, Json result);
  void refuse(const Json& id, int code, const std::string& why);
  void log(const std::string& text);

  Check check_;
  Encoding encoding_ = Encoding::Utf16;
  bool initialized_ = false, shut_down_ = false, finished_ = false;
  std::map<std::string, Document> documents_;  // by URI
  std::vector<Json> outgoing_;
};

}  // namespace forerun::lsp
