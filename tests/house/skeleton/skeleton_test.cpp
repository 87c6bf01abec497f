// scripts/new_layer and scripts/new_rule in a copy of the tree: what they make configures and
// compiles, and its fixtures fail until it is written.
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Only what a skeleton adds is compiled; the rest is linked from the build this test belongs to.
class Skeleton : public ::testing::Test {
 protected:
  Skeleton() {
    const fs::path source = FORERUN_SOURCE_DIR;
    for (const char* name : {"CMakeLists.txt", "analyzer", "cli", "cmake", "core", "estimator",
                             "layers", "rules", "scripts", "tests", "verifier"}) {
      fs::copy(source / name, fs::path(copy_.path()) / name, fs::copy_options::recursive);
    }
  }

  CommandResult script(const std::string& name, const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{"bash", copy_.path() + "/scripts/" + name};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_command(argv);
  }

  void must_run(const std::vector<std::string>& argv) {
    const CommandResult result = run_command(argv, {}, 600);
    ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  }

  // Configures the copy, compiles the skeleton's source and the catalogue that now lists it, and
  // links `program` of this build with the two in front of `library`, whose own catalogue is then
  // not taken.
  void build_with_skeleton(const std::string& program, const std::string& library,
                           const std::string& source, const std::string& catalog,
                           const std::vector<std::string>& options) {
    std::vector<std::string> argv{
        "cmake", "-S", copy_.path(), "-B",
        build(), "-G", "Ninja",      "-DFORERUN_THIRD_PARTY=" FORERUN_THIRD_PARTY};
    argv.insert(argv.end(), options.begin(), options.end());
    must_run(argv);
    const std::string folder = "CMakeFiles/forerun_" + library + ".dir/";
    const std::string objects = folder + source + ".o " + folder + catalog + ".o";
    must_run({"sh", "-c", "ninja -C " + build() + " " + objects});
    std::string in_copy;
    std::istringstream words(objects);
    for (std::string word; words >> word;) in_copy += " " + build() + "/" + word;
    must_run({"sh", "-c",
              "cd " FORERUN_BINARY_DIR " && eval \"$(ninja -t commands bin/" + program +
                  " | tail -n 1 | sed '" + "s# libforerun_" + library + "\\.a#" + in_copy +
                  "&#;s# -o bin/" + program + "# -o " + tool(program) + "#')\""});
  }
  std::string build() const { return copy_.path() + "/build"; }
  std::string tool(const std::string& program) const { return copy_.path() + "/" + program; }
  bool exists(const std::string& name) const { return fs::exists(copy_.path() + "/" + name); }

  TemporaryFolder copy_;
};

class NewLayer : public Skeleton {
 protected:
  // Runs the first sample of the skeleton, as the tests over all samples do.
  CommandResult estimate_sample() {
    const std::string samples = read_all(copy_.path() + "/layers/max_pool9d/samples.yaml");
    const std::string spec = copy_.write("sample.yaml", samples.substr(0, samples.find("---")));
    return run_command({tool("forerun-estimate"), spec});
  }
};

TEST_F(NewLayer, CompilesAndFailsUntilItIsWritten) {
  if (!fs::exists(FORERUN_BINARY_DIR "/bin/forerun-estimate"))
    GTEST_SKIP() << "forerun-estimate is not built here";
  const CommandResult made = script("new_layer", {"max_pool9d"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  build_with_skeleton("forerun-estimate", "graph", "layers/max_pool9d/layer.cpp",
                      "generated/layers/catalog.cpp",
                      {"-DFORERUN_LINT=OFF", "-DFORERUN_VERIFY=OFF"});
  const CommandResult page = run_command({tool("forerun-estimate"), "--explain", "max_pool9d"});
  EXPECT_EQ(page.out, read_all(copy_.path() + "/layers/max_pool9d/layer.md"));
  const CommandResult sample = estimate_sample();
  EXPECT_EQ(sample.exit_code, 2);
  EXPECT_THAT(sample.err,
              HasSubstr("layers/max_pool9d/layer.cpp does not say yet what this layer computes"));
}

TEST_F(NewLayer, ItsVerifierSideCompiles) {
  if (std::string(FORERUN_TORCH_ROOT).empty()) GTEST_SKIP() << "LibTorch is not here";
  ASSERT_EQ(script("new_layer", {"max_pool9d"}).exit_code, 0);
  const std::string use = copy_.write("use.cpp",
                                      "#include \"layers/max_pool9d/torch.h\"\n"
                                      "auto* made = &forerun::layers::max_pool9d::make_module;\n");
  const std::string include = std::string(FORERUN_TORCH_ROOT) + "/include";
  must_run({"c++", "-std=c++20", "-fsyntax-only", "-I" + copy_.path(), "-isystem", include,
            "-isystem", include + "/torch/csrc/api/include", use});
}

TEST_F(NewLayer, KeepsToTheMap) {
  ASSERT_EQ(script("new_layer", {"max_pool9d"}).exit_code, 0);
  const CommandResult result = run_command({"python3", copy_.path() + "/scripts/check_layers.py"});
  EXPECT_THAT(result.err, ::testing::Not(HasSubstr("max_pool9d")));
}

TEST_F(NewLayer, RefusesWhatIsThereAndWhatIsNoName) {
  const std::string before = read_all(copy_.path() + "/layers/linear/layer.cpp");
  EXPECT_EQ(script("new_layer", {"linear"}).err,
            "new_layer: error: layers/linear is there already\n");
  EXPECT_EQ(read_all(copy_.path() + "/layers/linear/layer.cpp"), before);
  for (const char* name : {"", "MaxPool", "max-pool", "../x", "a b", "2d", "x_", "_x"}) {
    const CommandResult result = script("new_layer", {name});
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_THAT(result.err, HasSubstr("is no layer name"));
  }
  EXPECT_EQ(script("new_layer", {}).exit_code, 2);
  EXPECT_FALSE(exists("x"));
}

class NewRule : public Skeleton {
 protected:
  static constexpr const char* kFolder = "rules/memory/tensor-kept-forever";
};

TEST_F(NewRule, CompilesAndFailsUntilItIsWritten) {
  if (!fs::exists(FORERUN_BINARY_DIR "/bin/forerun-lint"))
    GTEST_SKIP() << "forerun-lint is not built here";
  const CommandResult made = script("new_rule", {"memory", "tensor-kept-forever"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  build_with_skeleton("forerun-lint", "rules", std::string(kFolder) + "/rule.cpp",
                      "generated/rules/catalog.cpp",
                      {"-DFORERUN_LINT=ON", "-DFORERUN_ESTIMATE=OFF", "-DFORERUN_VERIFY=OFF"});
  const CommandResult page =
      run_command({tool("forerun-lint"), "--explain", "tensor-kept-forever"});
  EXPECT_THAT(page.out, HasSubstr("# What is found, in a few words\n"));
  EXPECT_THAT(page.out, HasSubstr("def train(model, batches, criterion, optimizer):"));
  // bad.py expects a finding; until the rule is written there is none.
  const std::string bad = copy_.path() + "/" + kFolder + "/bad.py";
  EXPECT_THAT(read_all(bad), HasSubstr("# expect: tensor-kept-forever\n"));
  const CommandResult found =
      run_command({tool("forerun-lint"), "--select", "tensor-kept-forever", bad});
  EXPECT_EQ(found.exit_code, 0) << found.out << found.err;
}

TEST_F(NewRule, KeepsToTheMap) {
  ASSERT_EQ(script("new_rule", {"memory", "tensor-kept-forever"}).exit_code, 0);
  const CommandResult result = run_command({"python3", copy_.path() + "/scripts/check_layers.py"});
  EXPECT_THAT(result.err, ::testing::Not(HasSubstr("tensor-kept-forever")));
}

TEST_F(NewRule, RefusesWhatIsThereAndWhatIsNoName) {
  ASSERT_EQ(script("new_rule", {"memory", "tensor-kept-forever"}).exit_code, 0);
  EXPECT_EQ(script("new_rule", {"sync", "tensor-kept-forever"}).err,
            "new_rule: error: rules/memory/tensor-kept-forever is there already\n");
  EXPECT_FALSE(exists("rules/sync/tensor-kept-forever"));
  for (const char* name : {"", "NoSync", "no_sync", "../x", "a b", "-x", "x-"}) {
    EXPECT_EQ(script("new_rule", {"memory", name}).exit_code, 2) << name;
    EXPECT_EQ(script("new_rule", {name, "tensor-kept-twice"}).exit_code, 2) << name;
  }
  EXPECT_EQ(script("new_rule", {"memory"}).exit_code, 2);
}

}  // namespace
}  // namespace forerun::test
