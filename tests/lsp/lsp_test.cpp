// The language server: framing, places, and what it answers.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyzer/lsp/framing.h"
#include "analyzer/lsp/positions.h"
#include "analyzer/lsp/server.h"
#include "analyzer/lsp/uri.h"

namespace forerun::lsp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Json = nlohmann::json;

// --- framing
TEST(Framing, MessagesComeInPiecesAndTogether) {
  Framing framing;
  const std::string two = framed("{\"a\":1}") + framed("{}");
  for (const char byte : two.substr(0, two.size() - 1)) framing.feed({&byte, 1});
  EXPECT_EQ(**framing.next(), "{\"a\":1}");
  EXPECT_FALSE(framing.next()->has_value());
  framing.feed("}");
  EXPECT_EQ(**framing.next(), "{}");
  EXPECT_FALSE(framing.next()->has_value());
}

TEST(Framing, OtherHeaderLinesAndCases) {
  Framing framing;
  framing.feed(
      "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-LENGTH:  2 \r\n\r\n[]");
  EXPECT_EQ(**framing.next(), "[]");
}

TEST(Framing, RefusesWhatItCannotBound) {
  for (const std::string& wrong :
       {std::string("Content-Length: x\r\n\r\n"), std::string("Content-Length: -1\r\n\r\n"),
        std::string("Length: 2\r\n\r\n{}"), std::string("Content-Length: 99999999999\r\n\r\n"),
        std::string("Content-Length: 999999999999999999999999\r\n\r\n"),
        std::string(kMaxHeaderBytes + 10, 'x')}) {
    Framing framing;
    framing.feed(wrong);
    EXPECT_FALSE(framing.next()) << wrong.substr(0, 60);
  }
}

// --- places
TEST(Lines, CountsInTheUnitsAskedFor) {
  const std::string text = "a = 'é😀'; b\r\nlast";  // é: 2 bytes, 1 unit; 😀: 4 bytes, 2 units
  const Lines lines(text);
  EXPECT_EQ(lines.place({1, 14}, Encoding::Utf16), (Place{0, 10}));
  EXPECT_EQ(lines.place({1, 14}, Encoding::Utf8), (Place{0, 13}));
  EXPECT_EQ(lines.end_of_line(1, Encoding::Utf8), (Place{0, 15}));
  EXPECT_EQ(lines.place({2, 99}, Encoding::Utf16), (Place{1, 4}));
  EXPECT_EQ(lines.place({9, 1}, Encoding::Utf16), (Place{1, 4}));
  EXPECT_EQ(lines.place({0, 0}, Encoding::Utf16), (Place{0, 0}));
  EXPECT_EQ(Lines("").place({1, 1}, Encoding::Utf16), (Place{0, 0}));
}

TEST(Uri, FilesOfThisMachine) {
  EXPECT_EQ(path_of("file:///a/b%20c.py"), "/a/b c.py");
  EXPECT_EQ(path_of("file://localhost/a.py"), "/a.py");
  EXPECT_EQ(uri_of("/a/b c.py"), "file:///a/b%20c.py");
  for (const char* wrong :
       {"http://x/a.py", "file://host/a.py", "file:///a%2", "file:///a%zz", "file:///a%00", ""})
    EXPECT_EQ(path_of(wrong), std::nullopt) << wrong;
}

// --- server
constexpr const char* kUri = "file:///w/train.py";

// Reports every line that says "bad", with a fix that says "good".
Result<Checked> check(const std::string& path, const std::string& text) {
  if (text == "broken") return error_at({path, {}, {}}, "does not parse");
  Checked checked;
  checked.text = text;
  int line = 1;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t found = text.substr(at, end - at).find("bad");
    if (found != std::string::npos) {
      Finding finding;
      finding.rule_id = "no-bad";
      finding.level = Level::Error;
      const int column = static_cast<int>(found) + 1;
      finding.location = {path, {line, column}, {line, column + 3}};
      finding.message = "this is bad";
      finding.help = "be good";
      finding.related.emplace_back();
      finding.related.back().location = {path, {1, 1}, {}};
      finding.related.back().message = "the file begins here";
      finding.fixes.push_back({"make it good", finding.location, "good"});
      checked.findings.push_back(finding);
    }
    at = end + 1;
    ++line;
  }
  return checked;
}

class ServerTest : public ::testing::Test {
 protected:
  std::vector<Json> say(const Json& message) { return server_.handle(message.dump()); }
  Json ask(const std::string& method, const Json& parameters) {
    const auto answers =
        say({{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", parameters}});
    EXPECT_THAT(answers, SizeIs(1));
    return answers.empty() ? Json() : answers.front();
  }
  std::vector<Json> tell(const std::string& method, const Json& parameters) {
    return say({{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}});
  }
  void start() { ask("initialize", {{"capabilities", Json::object()}}); }
  std::vector<Json> open(const std::string& text) {
    return tell("textDocument/didOpen",
                {{"textDocument",
                  {{"uri", kUri}, {"version", 1}, {"languageId", "python"}, {"text", text}}}});
  }
  Server server_{check};
};

TEST_F(ServerTest, SaysWhatItCanDo) {
  const Json answer =
      ask("initialize",
          {{"capabilities", {{"general", {{"positionEncodings", {"utf-8", "utf-16"}}}}}}});
  EXPECT_EQ(answer["id"], 7);
  EXPECT_EQ(answer["result"]["capabilities"]["positionEncoding"], "utf-8");
  EXPECT_EQ(answer["result"]["capabilities"]["textDocumentSync"]["change"], 1);
  EXPECT_EQ(answer["result"]["serverInfo"]["name"], "forerun");
}

TEST_F(ServerTest, NothingBeforeInitialize) {
  EXPECT_EQ(ask("textDocument/codeAction", Json::object())["error"]["code"], -32002);
  EXPECT_THAT(open("bad"), IsEmpty());
}

TEST_F(ServerTest, PublishesWhatItFinds) {
  start();
  const auto sent = open("ok\n  bad\n");
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0]["method"], "textDocument/publishDiagnostics");
  EXPECT_EQ(sent[0]["params"]["version"], 1);
  const Json& one = sent[0]["params"]["diagnostics"][0];
  EXPECT_EQ(one["range"],
            Json::parse(R"({"start":{"line":1,"character":2},"end":{"line":1,"character":5}})"));
  EXPECT_EQ(one["severity"], 1);
  EXPECT_EQ(one["code"], "no-bad");
  EXPECT_EQ(one["message"], "this is bad\nhelp: be good");
  EXPECT_EQ(one["relatedInformation"][0]["location"]["uri"], kUri);
}

TEST_F(ServerTest, FollowsChangesAndForgetsWhatIsClosed) {
  start();
  open("bad");
  auto sent = tell("textDocument/didChange", {{"textDocument", {{"uri", kUri}, {"version", 2}}},
                                              {"contentChanges", {{{"text", "good"}}}}});
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0]["params"]["version"], 2);
  EXPECT_THAT(sent[0]["params"]["diagnostics"], IsEmpty());
  sent = tell("textDocument/didClose", {{"textDocument", {{"uri", kUri}}}});
  EXPECT_THAT(sent[0]["params"]["diagnostics"], IsEmpty());
  EXPECT_THAT(tell("textDocument/didSave", {{"textDocument", {{"uri", kUri}}}}), IsEmpty());
}

TEST_F(ServerTest, AFileThatCannotBeCheckedIsLoggedAndCleared) {
  start();
  const auto sent = open("broken");
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent[0]["method"], "window/logMessage");
  EXPECT_THAT(sent[0]["params"]["message"], HasSubstr("does not parse"));
  EXPECT_THAT(sent[1]["params"]["diagnostics"], IsEmpty());
}

TEST_F(ServerTest, OffersTheFixesOfARange) {
  start();
  open("bad\nfine\nbad\n");
  auto actions = [&](int line) {
    return ask("textDocument/codeAction",
               {{"textDocument", {{"uri", kUri}}},
                {"range",
                 {{"start", {{"line", line}, {"character", 0}}},
                  {"end", {{"line", line}, {"character", 4}}}}},
                {"context", {{"diagnostics", Json::array()}}}})["result"];
  };
  EXPECT_THAT(actions(1), IsEmpty());
  const Json third = actions(2);
  ASSERT_THAT(third, SizeIs(1));
  EXPECT_EQ(third[0]["title"], "make it good");
  EXPECT_EQ(third[0]["kind"], "quickfix");
  const Json edit = third[0]["edit"]["changes"][kUri][0];
  EXPECT_EQ(edit["newText"], "good");
  EXPECT_EQ(edit["range"]["start"]["line"], 2);
  EXPECT_EQ(edit["range"]["end"]["character"], 3);
}

TEST_F(ServerTest, EndsInOrder) {
  start();
  EXPECT_TRUE(ask("shutdown", nullptr).contains("result"));
  EXPECT_EQ(ask("textDocument/codeAction", Json::object())["error"]["code"], -32600);
  EXPECT_FALSE(server_.finished());
  tell("exit", nullptr);
  EXPECT_TRUE(server_.finished());
  EXPECT_EQ(server_.exit_code(), 0);
}

TEST_F(ServerTest, ExitWithoutShutdownIsAFailure) {
  start();
  tell("exit", Json::object());
  EXPECT_EQ(server_.exit_code(), 1);
}

TEST_F(ServerTest, NonsenseIsAnsweredOrPassedBy) {
  EXPECT_EQ(server_.handle("{").front()["error"]["code"], -32700);
  EXPECT_EQ(server_.handle("[]").front()["error"]["code"], -32600);
  EXPECT_EQ(server_.handle("{\"id\": 3}").front()["error"]["code"], -32600);
  EXPECT_THAT(server_.handle("{\"id\": 3, \"result\": null}"), IsEmpty());
  start();
  EXPECT_EQ(ask("nothing/known", Json::object())["error"]["code"], -32601);
  EXPECT_EQ(ask("textDocument/codeAction", Json::array({1}))["result"], Json::array());
  for (const Json& wrong : {Json(3), Json("x"), Json::array(), Json{{"textDocument", 4}},
                            Json{{"textDocument", {{"uri", 4}}}},
                            Json{{"textDocument", {{"uri", kUri}}}, {"contentChanges", {1, 2}}}}) {
    tell("textDocument/didOpen", wrong);
    tell("textDocument/didChange", wrong);
    tell("textDocument/didClose", wrong);
  }
  EXPECT_THAT(tell("$/cancelRequest", {{"id", 1}}), IsEmpty());
}

TEST_F(ServerTest, OtherSchemesAreNotRead) {
  start();
  const auto sent = tell("textDocument/didOpen",
                         {{"textDocument", {{"uri", "untitled:Untitled-1"}, {"text", "bad"}}}});
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0]["method"], "window/logMessage");
}

}  // namespace
}  // namespace forerun::lsp
