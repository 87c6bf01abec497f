#include "analyzer/lsp/server.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/lsp/uri.h"
#include "core/version.h"

namespace forerun::lsp {
namespace {

using Json = nlohmann::json;

// JSON-RPC 2.0, 5.1; LSP 3.17, "ErrorCodes".
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601,
              kInvalidParams = -32602, kServerNotInitialized = -32002;

// LSP 3.17: DiagnosticSeverity 1 Error, 2 Warning, 3 Information; MessageType has the same numbers.
int severity(Level level) {
  switch (level) {
    case Level::Error: return 1;
    case Level::Warning: return 2;
    case Level::Note: return 3;
  }
  return 3;
}

// A member of an object as text; "" when it is not there or is something else.
std::string text_at(const Json& object, const char* outer, const char* inner) {
  if (!object.is_object() || !object.contains(outer) || !object[outer].is_object()) return {};
  const Json& inside = object[outer];
  return inside.contains(inner) && inside[inner].is_string() ? inside[inner].get<std::string>()
                                                             : std::string();
}

std::int64_t version_at(const Json& object) {
  const Json version = object.value(Json::json_pointer("/textDocument/version"), Json());
  return version.is_number_integer() ? version.get<std::int64_t>() : 0;
}

Json to_json(Place place) { return {{"line", place.line}, {"character", place.character}}; }

Place place_of(const Json& json) {
  if (!json.is_object()) return {};
  auto number = [&](const char* name) {
    return json.contains(name) && json[name].is_number_integer() ? json[name].get<int>() : 0;
  };
  return {number("line"), number("character")};
}

bool offers_utf8(const Json& parameters) {
  const Json offered =
      parameters.value(Json::json_pointer("/capabilities/general/positionEncodings"), Json());
  return offered.is_array() && std::find(offered.begin(), offered.end(), "utf-8") != offered.end();
}

}  // namespace

std::vector<Json> Server::handle(const std::string& message) {
  outgoing_.clear();
  const Json parsed = Json::parse(message, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) {
    refuse(nullptr, kParseError, "the message is not JSON");
  } else if (!parsed.is_object()) {
    refuse(nullptr, kInvalidRequest, "the message is not an object");
  } else if (parsed.contains("method") && parsed["method"].is_string()) {
    dispatch(parsed, parsed["method"]);
  } else if (!parsed.contains("result") && !parsed.contains("error")) {
    refuse(parsed.value("id", Json()), kInvalidRequest, "the message names no method");
  }
  return std::move(outgoing_);
}

// A client's message may have anything anywhere; what is not as the protocol says ends here.
void Server::dispatch(const Json& message, const std::string& method) {
  const bool wants_answer = message.contains("id");
  try {
    wants_answer ? request(message, method) : notification(message, method);
  } catch (const Json::exception& problem) {
    if (wants_answer) return refuse(message["id"], kInvalidParams, problem.what());
    log(fmt::format("'{}' could not be understood: {}", method, problem.what()));
  }
}

void Server::request(const Json& message, const std::string& method) {
  const Json& id = message["id"];
  const Json parameters = message.value("params", Json::object());
  if (method == "initialize") return initialize(id, parameters);
  if (!initialized_) return refuse(id, kServerNotInitialized, "not initialized");
  if (shut_down_) return refuse(id, kInvalidRequest, "shut down");
  if (method == "textDocument/codeAction") return code_actions(id, parameters);
  if (method == "shutdown") {
    shut_down_ = true;
    return reply(id, nullptr);
  }
  refuse(id, kMethodNotFound, fmt::format("'{}' is not answered", method));
}

void Server::notification(const Json& message, const std::string& method) {
  const Json parameters = message.value("params", Json::object());
  if (method == "exit") {
    finished_ = true;
    return;
  }
  if (!initialized_ || shut_down_ || !parameters.is_object()) return;
  if (method == "textDocument/didOpen") return opened(parameters);
  if (method == "textDocument/didChange") return changed(parameters);
  if (method == "textDocument/didSave") return check(text_at(parameters, "textDocument", "uri"));
  if (method == "textDocument/didClose") return closed(parameters);
}

void Server::initialize(const Json& id, const Json& parameters) {
  initialized_ = true;
  encoding_ = offers_utf8(parameters) ? Encoding::Utf8 : Encoding::Utf16;
  reply(id,
        {{"capabilities",
          {{"positionEncoding", encoding_ == Encoding::Utf8 ? "utf-8" : "utf-16"},
           {"textDocumentSync", {{"openClose", true}, {"change", 1}, {"save", true}}},  // 1: whole
           {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}}},
         {"serverInfo", {{"name", "forerun"}, {"version", kVersion}}}});
}

void Server::opened(const Json& parameters) {
  const std::string uri = text_at(parameters, "textDocument", "uri");
  const auto path = path_of(uri);
  if (!path) return log(fmt::format("'{}' is not a file on this machine: not checked", uri));
  documents_[uri] = {
      *path, text_at(parameters, "textDocument", "text"), version_at(parameters), {}};
  check(uri);
}

// Changes come as whole texts, as asked for in initialize(); the last one counts.
void Server::changed(const Json& parameters) {
  const auto document = documents_.find(text_at(parameters, "textDocument", "uri"));
  const Json changes = parameters.value("contentChanges", Json::array());
  if (document == documents_.end() || !changes.is_array() || changes.empty()) return;
  const Json& last = changes.back();
  if (!last.is_object() || !last.contains("text") || !last["text"].is_string()) return;
  document->second.text = last["text"];
  document->second.version = version_at(parameters);
  check(document->first);
}

void Server::closed(const Json& parameters) {
  const std::string uri = text_at(parameters, "textDocument", "uri");
  if (documents_.erase(uri) == 0) return;
  send({{"jsonrpc", "2.0"},
        {"method", "textDocument/publishDiagnostics"},
        {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
}

void Server::check(const std::string& uri) {
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return;
  Document& document = found->second;
  document.findings.clear();
  auto checked = check_(document.path, document.text);
  if (!checked) {
    log(to_string(checked.error()));
  } else {
    for (Finding& finding : checked->findings) {
      if (finding.location.file == document.path) document.findings.push_back(std::move(finding));
    }
  }
  publish(uri, document);
}

void Server::publish(const std::string& uri, const Document& document) {
  Json list = Json::array();
  for (const Finding& finding : document.findings) list.push_back(diagnostic(finding, document));
  send({{"jsonrpc", "2.0"},
        {"method", "textDocument/publishDiagnostics"},
        {"params", {{"uri", uri}, {"version", document.version}, {"diagnostics", list}}}});
}

Json Server::range(const Location& at, const std::string& text) const {
  const Lines lines(text);
  const Place begin = lines.place(at.begin, encoding_);
  const Place end = at.end.line == 0 ? lines.end_of_line(at.begin.line, encoding_)
                                     : lines.place(at.end, encoding_);
  return {{"start", to_json(begin)}, {"end", to_json(std::max(begin, end))}};
}

Json Server::diagnostic(const Finding& finding, const Document& document) const {
  std::string message = finding.message;
  if (!finding.help.empty()) message += "\nhelp: " + finding.help;
  Json json{{"range", range(finding.location, document.text)},
            {"severity", severity(finding.level)},
            {"code", finding.rule_id},
            {"source", "forerun"},
            {"message", message}};
  for (const Finding::Related& related : finding.related) {
    const bool here = related.location.file == document.path;
    if (!here) continue;  // the text of another file is not at hand to count its characters
    json["relatedInformation"].push_back(
        {{"location",
          {{"uri", uri_of(document.path)}, {"range", range(related.location, document.text)}}},
         {"message", related.message}});
  }
  return json;
}

Json Server::edit(const Finding& finding, const Document& document) const {
  Json edits = Json::array();
  for (const Fix& fix : finding.fixes) {
    if (fix.where.file != document.path) return nullptr;
    Location where = fix.where;
    if (where.end.line == 0) where.end = where.begin;
    edits.push_back({{"range", range(where, document.text)}, {"newText", fix.replacement}});
  }
  return edits;
}

void Server::code_actions(const Json& id, const Json& parameters) {
  const std::string uri = text_at(parameters, "textDocument", "uri");
  const auto found = documents_.find(uri);
  Json actions = Json::array();
  if (found == documents_.end()) return reply(id, actions);
  const Json wanted = parameters.value("range", Json::object());
  const Place from = place_of(wanted.value("start", Json())),
              to = place_of(wanted.value("end", Json()));
  for (const Finding& finding : found->second.findings) {
    if (finding.fixes.empty()) continue;
    const Json at = range(finding.location, found->second.text);
    if (place_of(at["end"]) < from || to < place_of(at["start"])) continue;
    const Json edits = edit(finding, found->second);
    if (edits.is_null()) continue;
    actions.push_back({{"title", finding.fixes.front().description},
                       {"kind", "quickfix"},
                       {"isPreferred", true},
                       {"diagnostics", Json::array({diagnostic(finding, found->second)})},
                       {"edit", {{"changes", {{uri, edits}}}}}});
  }
  reply(id, actions);
}

void Server::reply(const Json& id, Json result) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void Server::refuse(const Json& id, int code, const std::string& why) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", why}}}});
}

void Server::log(const std::string& text) {
  send({{"jsonrpc", "2.0"},
        {"method", "window/logMessage"},
        {"params", {{"type", severity(Level::Warning)}, {"message", text}}}});
}

}  // namespace forerun::lsp
