// The plugin in the real clang-tidy, held to what forerun lint says of the same program.
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/catalog.h"
#include "tests/support/golden.h"

namespace forerun::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kLint = FORERUN_BINARY_DIR "/bin/forerun-lint";
constexpr const char* kPlugin = FORERUN_BINARY_DIR "/lib/libforerun-tidy.so";
constexpr const char* kClangTidy = "clang-tidy-19";

const std::vector<std::string> kFlags{"--", "-std=c++17", "-isystem",
                                      FORERUN_SOURCE_DIR "/analyzer/cpp/headers"};

// A finding, or a note below one, with the finding it belongs to: what both tools have to say.
using Said = std::set<std::string>;

// "train.cpp:61:7: warning: what is so [forerun-ID]" without the level, which the tools name by
// different words; notes with the line of their finding; excerpts and cures left out.
Said said(const std::string& output) {
  Said result;
  std::string finding;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() != '/') continue;
    for (const char* level : {": warning: ", ": error: ", ": remark: ", ": note: "}) {
      const std::size_t at = line.find(level);
      if (at == std::string::npos) continue;
      const std::string place = line.substr(0, at);
      std::string text = line.substr(at + std::string(level).size());
      if (text.starts_with("help: ")) break;
      const std::size_t id = text.rfind(" [");
      if (id == std::string::npos || text.back() != ']') {
        result.insert(finding + " > " + place + ": " + text);
        break;
      }
      if (text.compare(id + 2, 8, "forerun-") == 0) text.erase(id + 2, 8);
      result.insert(finding = place + ": " + text);
      break;
    }
  }
  return result;
}

// Every fixture of one kind as one program: parsing LibTorch's headers is what takes time.
std::string all_fixtures(const std::string& file) {
  std::set<std::string> system;
  std::string included;
  int count = 0;
  for (const rules::CatalogEntry& entry : rules::catalog()) {
    if (entry.bad_cpp.empty()) continue;
    const fs::path path =
        fs::path(FORERUN_SOURCE_DIR "/rules") / entry.group / entry.id / (file + ".cpp");
    if (!fs::exists(path)) continue;
    std::istringstream lines(read_all(path.string()));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("#include <")) system.insert(line);
    }
    included += "namespace fixture" + std::to_string(++count) + " {\n#include \"" + path.string() +
                "\"\n}\n";
  }
  std::string text;
  for (const std::string& line : system) text += line + "\n";
  return text + included;
}

class Tidy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kPlugin)) GTEST_SKIP() << "the plugin is not built here";
    if (run_command({"sh", "-c", std::string("command -v ") + kClangTidy}).exit_code != 0)
      GTEST_SKIP() << kClangTidy << " is not installed";
  }
  static CommandResult tidy(const std::string& path, std::vector<std::string> options = {}) {
    std::vector<std::string> argv{kClangTidy, "--quiet", "-load", kPlugin};
    if (options.empty()) options = {"-checks=-*,forerun-*", "--header-filter=.*"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.push_back(path);
    argv.insert(argv.end(), kFlags.begin(), kFlags.end());
    return run_command(argv, {}, 300);
  }
  static CommandResult lint(const std::string& path, std::vector<std::string> options = {}) {
    std::vector<std::string> argv{kLint, "--isolated", "--no-cache", path};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), kFlags.begin(), kFlags.end());
    return run_command(argv, {}, 300);
  }
  // Gives what clang-tidy printed.
  static std::string expect_the_same(const std::string& path) {
    const CommandResult by_tidy = tidy(path), by_lint = lint(path);
    EXPECT_EQ(by_tidy.exit_code, 0) << by_tidy.out << by_tidy.err;
    EXPECT_NE(by_lint.exit_code, 2) << by_lint.err;
    EXPECT_EQ(said(by_tidy.out), said(by_lint.out));
    return by_tidy.out;
  }

  // A loop without zero_grad() that keeps the graph of its losses: two findings, a fix.
  static std::string program(const std::string& at_step = "", const std::string& at_sum = "") {
    return "#include <torch/torch.h>\n"
           "double fit(torch::nn::Linear model, torch::optim::SGD& opt, torch::Tensor x) {\n"
           "  torch::Tensor total = torch::zeros({});\n"
           "  for (int i = 0; i < 9; ++i) {\n"
           "    auto loss = model(x).mean();\n"
           "    loss.backward();\n"
           "    opt.step();" +
           at_step +
           "\n"
           "    total += loss;" +
           at_sum +
           "\n"
           "  }\n"
           "  return total.item<double>();\n"
           "}\n";
  }

  TemporaryFolder folder_;
};

TEST_F(Tidy, HasACheckForEveryRuleOfCpp) {
  const CommandResult result = tidy("", {"-checks=-*,forerun-*", "--list-checks"});
  for (const rules::CatalogEntry& entry : rules::catalog()) {
    const std::string check = "    forerun-" + std::string(entry.id) + "\n";
    if (entry.bad_cpp.empty()) {
      EXPECT_THAT(result.out, Not(HasSubstr(check)));
    } else {
      EXPECT_THAT(result.out, HasSubstr(check));
    }
  }
}

TEST_F(Tidy, FindsInTheBadFixturesWhatLintFinds) {
  const std::string path = folder_.write("all.cpp", all_fixtures("bad"));
  const std::string found = expect_the_same(path);
  // Not so because both are silent. Some rules ask about a program as a whole, which this is not.
  int rules = 0, spoken = 0;
  for (const rules::CatalogEntry& entry : rules::catalog()) {
    if (entry.bad_cpp.empty()) continue;
    ++rules;
    spoken += found.find("[forerun-" + std::string(entry.id)) != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(spoken, rules * 3 / 4);
}

TEST_F(Tidy, FindsInTheGoodFixturesWhatLintFinds) {
  expect_the_same(folder_.write("all.cpp", all_fixtures("good")));
}

TEST_F(Tidy, IsQuietWhereAllIsWell) {
  std::string good = program();
  good.insert(good.find("    loss.backward"), "    opt.zero_grad();\n");
  good.replace(good.find("total += loss;"), 14, "total += loss.detach();");
  EXPECT_EQ(tidy(folder_.write("train.cpp", good), {"-checks=-*,forerun-*"}).out, "");
}

TEST_F(Tidy, IsSilencedByNolint) {
  const std::string path =
      folder_.write("train.cpp", program("  // NOLINT(forerun-zero-grad-missing)"));
  const std::string found = expect_the_same(path);
  EXPECT_THAT(found, Not(HasSubstr("zero-grad-missing")));
  EXPECT_THAT(found, HasSubstr("graph-kept-accumulator"));
}

TEST_F(Tidy, ReportsANolintThatSilencesNothing) {
  const std::string path =
      folder_.write("train.cpp", program("", "  // NOLINT(forerun-clip-after-step)"));
  EXPECT_THAT(expect_the_same(path), HasSubstr("this comment silences nothing"));
}

TEST_F(Tidy, MendsWhatLintMends) {
  const std::string by_tidy = folder_.write("tidy.cpp", program());
  const std::string by_lint = folder_.write("lint.cpp", program());
  tidy(by_tidy, {"-checks=-*,forerun-*", "--fix"});
  lint(by_lint, {"--fix"});
  EXPECT_NE(read_all(by_tidy), program());
  EXPECT_EQ(read_all(by_tidy), read_all(by_lint));
}

TEST_F(Tidy, RunsOnlyTheChecksThatAreAskedFor) {
  const std::string path = folder_.write("train.cpp", program());
  const std::string found = tidy(path, {"-checks=-*,forerun-zero-*"}).out;
  EXPECT_THAT(found, HasSubstr("forerun-zero-grad-missing"));
  EXPECT_THAT(found, Not(HasSubstr("graph-kept-accumulator")));
}

TEST_F(Tidy, TakesALevelFromItsOptions) {
  const std::string path = folder_.write("train.cpp", program());
  const auto level = [](const std::string& value) {
    return "{CheckOptions: {forerun-zero-grad-missing.Level: " + value + "}}";
  };
  const std::vector<std::string> all{"-checks=-*,forerun-*", "-warnings-as-errors=forerun-zero-*"};
  auto with = [&](const std::string& value) {
    std::vector<std::string> options = all;
    options.push_back("-config=" + level(value));
    return tidy(path, options);
  };
  EXPECT_NE(tidy(path, all).exit_code, 0);
  const CommandResult note = with("note");
  EXPECT_EQ(note.exit_code, 0) << note.out;
  EXPECT_THAT(note.out, HasSubstr(": remark: gradients of this step"));
  EXPECT_THAT(with("loud").out + with("loud").err, HasSubstr("invalid configuration value 'loud'"));
}

TEST_F(Tidy, PlacesFindingsInTheUsersHeaders) {
  folder_.write("loop.h", program());
  const std::string path = folder_.write("train.cpp", "#include \"loop.h\"\n");
  EXPECT_THAT(expect_the_same(path), HasSubstr("/loop.h:7:5: warning: "));
}

TEST_F(Tidy, SaysNothingOfProgramsWithoutTorch) {
  const std::string path = folder_.write("plain.cpp", "int main() { return 0; }\n");
  EXPECT_EQ(tidy(path).out, "");
}

}  // namespace
}  // namespace forerun::test
