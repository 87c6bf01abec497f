#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/cpp/frontend.h"
#include "tests/support/golden.h"

namespace fs = std::filesystem;
namespace ir = forerun::ir;
using forerun::cpp::lower;
using forerun::cpp::Options;
using forerun::test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

Options with_declarations() {
  Options options;
  options.torch_roots = {std::string(FORERUN_SOURCE_DIR) + "/analyzer/cpp/headers"};
  options.cache_path = std::string(FORERUN_BINARY_DIR) + "/tests/precompiled";
  return options;
}

ir::Program lowered(const std::string& path, const Options& options = with_declarations()) {
  auto result = lower(path, options);
  if (!result) {
    ADD_FAILURE() << to_string(result.error());
    return {};
  }
  return std::move(result->program);
}

ir::Program lowered_text(const std::string& text) {
  const TemporaryFolder folder;
  return lowered(folder.write("main.cpp", text));
}

// The printed functions of a text, LibTorch included.
std::string printed(const std::string& text) {
  return print(lowered_text("#include <torch/torch.h>\n" + text));
}

void collect(const ir::Block& block, std::vector<ir::Op>& into) {
  for (const ir::Node& node : block) {
    if (const auto* op = std::get_if<ir::Op>(&node.value)) into.push_back(*op);
    if (const auto* loop = std::get_if<ir::Loop>(&node.value)) collect(loop->body, into);
    if (const auto* scope = std::get_if<ir::Scope>(&node.value)) collect(scope->body, into);
    if (const auto* branch = std::get_if<ir::Branch>(&node.value)) collect(branch->then_body, into);
  }
}

std::vector<ir::Op> operations(const ir::Program& program, const std::string& function) {
  std::vector<ir::Op> found;
  for (const ir::Function& each : program.functions) {
    if (each.name == function) collect(each.body, found);
  }
  return found;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

// --- lowering

TEST(CppLowering, TwinsNeedNoLibTorch) {
  int cases = 0;
  for (const std::string folder : {"/tests/lowering", "/tests/lowering/cpp"}) {
    for (const auto& entry : fs::directory_iterator(FORERUN_SOURCE_DIR + folder)) {
      const std::string path = entry.path().string();
      if (entry.path().extension() != ".cpp" || path.ends_with("_test.cpp")) continue;
      SCOPED_TRACE(path);
      const ir::Program program = lowered(path);
      EXPECT_THAT(program.notes, testing::IsEmpty());
      EXPECT_EQ(print(program), forerun::test::read_all(path.substr(0, path.size() - 4) + ".tir"));
      ++cases;
    }
  }
  EXPECT_GE(cases, 12);
}

TEST(CppLowering, PlacesAreThoseOfTheWholeExpression) {
  const ir::Program program = lowered_text(
      "#include <torch/torch.h>\n"
      "void f(torch::Tensor loss, torch::Tensor total) {\n"
      "  loss.backward();\n"
      "  total += loss;\n"
      "  auto shown = loss\n"
      "      .item<float>();\n"
      "}\n");
  const auto ops = operations(program, "f");
  ASSERT_EQ(ops.size(), 3U);
  EXPECT_EQ(ops[0].at.begin, (forerun::Position{3, 3}));
  EXPECT_EQ(ops[0].at.end, (forerun::Position{3, 18}));
  EXPECT_EQ(ops[1].at.begin, (forerun::Position{4, 3}));
  EXPECT_EQ(ops[2].at.begin, (forerun::Position{5, 16}));
  EXPECT_EQ(ops[2].at.end, (forerun::Position{6, 21}));
  EXPECT_EQ(ops[2].details.at("template"), "float");
}

TEST(CppLowering, MacrosCountWhereTheyAreExpanded) {
  const ir::Program program = lowered_text(
      "#include <torch/torch.h>\n"
      "#define STEP(opt) (opt).zero_grad(); \\\n"
      "  (opt).step()\n"
      "void f(torch::optim::SGD& opt) {\n"
      "  STEP(opt);\n"
      "}\n");
  const auto ops = operations(program, "f");
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(ops[0].kind, ir::Kind::ZeroGrad);
  EXPECT_EQ(ops[0].at.begin, (forerun::Position{5, 3}));
  EXPECT_EQ(ops[1].at.begin, (forerun::Position{5, 3}));
}

TEST(CppLowering, RolesComeFromTypes) {
  const ir::Program program = lowered_text(
      "#include <torch/torch.h>\n"
      "struct AmpScaler { torch::Tensor scale(torch::Tensor l); void update(); };\n"
      "void f(torch::nn::Linear a, torch::optim::Adam& b, torch::optim::StepLR& c, AmpScaler& d, "
      "torch::Tensor e,\n"
      "       std::vector<torch::Tensor> g, double h, std::string i, torch::nn::MSELoss j,\n"
      "       std::shared_ptr<torch::nn::Module> k, std::optional<torch::Tensor> l) {}\n");
  ASSERT_EQ(program.functions.size(), 1U);
  const auto role = [&](const std::string& name) {
    return program.functions[0].roles.at({name, {}});
  };
  EXPECT_EQ(role("a"), ir::Role::Module);
  EXPECT_EQ(role("b"), ir::Role::Optimizer);
  EXPECT_EQ(role("c"), ir::Role::Scheduler);
  EXPECT_EQ(role("d"), ir::Role::Scaler);
  EXPECT_EQ(role("e"), ir::Role::Tensor);
  EXPECT_EQ(role("g"), ir::Role::Container);
  EXPECT_EQ(role("h"), ir::Role::Number);
  EXPECT_EQ(role("i"), ir::Role::Text);
  EXPECT_EQ(role("j"), ir::Role::LossModule);
  EXPECT_EQ(role("k"), ir::Role::Module);
  EXPECT_EQ(role("l"), ir::Role::Tensor);
}

TEST(CppLowering, ClassesHaveBasesAndMembers) {
  const ir::Program program = lowered_text(
      "#include <torch/torch.h>\n"
      "struct NetImpl : torch::nn::Cloneable<NetImpl> {\n"
      "  void reset() override {}\n"
      "  torch::nn::Linear fc{nullptr};\n"
      "  std::vector<torch::Tensor> kept;\n"
      "};\n"
      "TORCH_MODULE(Net);\n");
  ASSERT_EQ(program.classes.size(), 1U);
  EXPECT_EQ(program.classes[0].name, "Net");
  EXPECT_THAT(program.classes[0].bases, ElementsAre("Module"));
  EXPECT_EQ(program.classes[0].members.at({"self", {"fc"}}), ir::Role::Module);
  EXPECT_EQ(program.classes[0].members.at({"self", {"kept"}}), ir::Role::Container);
}

TEST(CppLowering, MethodsOfTheProgramNameTheirClass) {
  const ir::Program program = lowered_text(
      "#include <torch/torch.h>\n"
      "struct Meter { void push(double v) { total += v; } double total = 0; };\n"
      "void f(Meter& meter, torch::Tensor loss) { meter.push(loss.item<double>()); }\n");
  const auto ops = operations(program, "f");
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(ops[1].details.at("class"), "Meter");
}

TEST(CppLowering, AssertsLeaveOnlyTheCallsOfTheirCondition) {
  EXPECT_EQ(printed("#include <cassert>\n"
                    "void f(torch::Tensor x, int n) {\n"
                    "  assert(n > 0);\n"
                    "  TORCH_CHECK(n > 0, \"n is \", n);\n"
                    "  TORCH_CHECK(x.item<float>() > 0, \"bad\");\n"
                    "}\n"),
            "function f (x, n)\n"
            "  %1 = host_read:item x\n"
            "  arith:gt (%1, 0)\n");
}

TEST(CppLowering, HeadersBesideAreTheUsersOwn) {
  const TemporaryFolder folder;
  folder.write("train.h",
               "#pragma once\n#include <torch/torch.h>\ninline void step(torch::optim::SGD& o) { "
               "o.step(); }\n");
  const ir::Program program =
      lowered(folder.write("main.cpp", "#include \"train.h\"\nint main() { return 0; }\n"));
  ASSERT_EQ(program.functions.size(), 2U);
  EXPECT_EQ(program.functions[0].name, "step");
  EXPECT_EQ(program.functions[0].at.file, folder.path() + "/train.h");
  EXPECT_EQ(program.functions[1].at.file, folder.path() + "/main.cpp");
  EXPECT_THAT(program.imports, ElementsAre("train.h", "torch/torch.h"));
}

TEST(CppLowering, HeaderAsMainFile) {
  const TemporaryFolder folder;
  const ir::Program program = lowered(folder.write("net.hpp",
                                                   "#pragma once\n#include <torch/torch.h>\ninline "
                                                   "void f(torch::Tensor x) { x.backward(); }\n"));
  EXPECT_EQ(print(program), "function f (x)\n  backward x\n");
}

TEST(CppLowering, UnsavedTextStandsForTheFile) {
  const TemporaryFolder folder;
  folder.write("helper.h", "inline int beside() { return 1; }\n");
  const std::string path = folder.write("main.cpp", "#include \"helper.h\"\nvoid saved() {}\n");
  const std::string text = "#include \"helper.h\"\nvoid edited() {}\n";
  const auto result = lower(path, with_declarations(), text);
  ASSERT_TRUE(result) << to_string(result.error());
  ASSERT_EQ(result->program.functions.size(), 2);
  EXPECT_EQ(result->program.functions[0].name, "beside");
  EXPECT_EQ(result->program.functions[1].name, "edited");
}

TEST(CppLowering, TextNeedsNoFile) {
  const std::string text =
      "#include <torch/torch.h>\nvoid f(torch::Tensor loss) { loss.backward(); }\n";
  const auto result = lower("nowhere/to/be_found.cpp", with_declarations(), text);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_THAT(print(result->program), HasSubstr("backward loss"));
  EXPECT_EQ(result->program.functions[0].at.file, "nowhere/to/be_found.cpp");
}

TEST(CppLowering, UnsavedZeroBytesAreRefused) {
  const auto result = lower("x.cpp", with_declarations(), std::string("int a;\n\0", 8));
  ASSERT_FALSE(result);
  EXPECT_THAT(to_string(result.error()), HasSubstr("zero byte"));
}

TEST(CppLowering, CudaFilesAreReadForTheHost) {
  const TemporaryFolder folder;  // no compile_commands.json above it
  for (const char* name : {"step.cu", "step.cuh"}) {
    const auto result = lower(folder.path() + "/" + name, with_declarations(),
                              "#include <torch/torch.h>\n"
                              "__global__ void kernel(float* p) { *p = 0; }\n"
                              "void f(torch::Tensor loss) { loss.backward(); }\n");
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_THAT(print(result->program), HasSubstr("backward loss")) << name;
    EXPECT_THAT(result->program.notes, testing::IsEmpty()) << name;
  }
}

TEST(CppLowering, CommentsKeepTheirPlace) {
  const ir::Program program = lowered_text(
      "// first\nint f() {\n  return 1;  // NOLINT(forerun-x)\n}\n/* last\n   one */\n");
  ASSERT_EQ(program.comments.size(), 3U);
  EXPECT_EQ(program.comments[0].text, "first");
  EXPECT_TRUE(program.comments[0].own_line);
  EXPECT_EQ(program.comments[1].text, "NOLINT(forerun-x)");
  EXPECT_EQ(program.comments[1].at.begin, (forerun::Position{3, 14}));
  EXPECT_FALSE(program.comments[1].own_line);
  EXPECT_EQ(program.comments[2].at.end, (forerun::Position{6, 10}));
}

// --- flags

TEST(CppFlags, GivenOnesAreUsed) {
  const TemporaryFolder folder;
  Options options;
  options.flags = {"-DSTEPS=3", "-std=c++20"};
  const auto result = lower(folder.write("a.cpp", "int f() { return STEPS; }\n"), options);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result->flags_from, "flags given");
  EXPECT_EQ(print(result->program), "function f ()\n  return 3\n");
}

TEST(CppFlags, ExtraArgumentsAreAppended) {
  const TemporaryFolder folder;
  Options options = with_declarations();
  options.extra_args = {"-DSTEPS=4"};
  EXPECT_EQ(print(lowered(folder.write("a.cpp", "int f() { return STEPS; }\n"), options)),
            "function f ()\n  return 4\n");
}

TEST(CppFlags, DatabaseAboveIsFound) {
  const TemporaryFolder folder;
  const std::string file = folder.write("src/a.cpp", "int f() { return STEPS; }\n");
  folder.write("build/compile_commands.json",
               "[{\"directory\": \"" + folder.path() +
                   "\", \"file\": \"src/a.cpp\", \"output\": \"a.o\",\n"
                   "  \"command\": \"g++ -DSTEPS=5 -o a.o -c src/a.cpp\"}]\n");
  const auto result = lower(file, {});
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_THAT(result->flags_from, StartsWith("compile_commands.json in "));
  EXPECT_EQ(print(result->program), "function f ()\n  return 5\n");
  EXPECT_EQ(result->program.functions[0].at.file, file);
}

TEST(CppFlags, NamedDatabaseServesUnlistedFiles) {
  const TemporaryFolder folder;
  folder.write(
      "compile_commands.json",
      "[{\"directory\": \"" + folder.path() +
          "\", \"file\": \"a.cpp\", \"arguments\": [\"c++\", \"-DSTEPS=6\", \"a.cpp\"]}]\n");
  folder.write("a.cpp", "\n");
  Options options;
  options.build_path = folder.path();
  const auto result = lower(folder.write("b.cpp", "int f() { return STEPS; }\n"), options);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(print(result->program), "function f ()\n  return 6\n");
  ASSERT_EQ(result->messages.size(), 1U);
  EXPECT_THAT(result->messages[0], HasSubstr("nearest file"));
}

// Of a C and a C++ file beside it, an unlisted CUDA header takes the flags of the C++ one.
TEST(CppFlags, CudaHeadersAreNoC) {
  const TemporaryFolder folder;
  const std::string at = "{\"directory\": \"" + folder.path() + "\", ";
  folder.write(
      "compile_commands.json",
      "[" + at + "\"file\": \"step.c\", \"arguments\": [\"cc\", \"-std=gnu11\", \"step.c\"]},\n" +
          at + "\"file\": \"b.cpp\", \"arguments\": [\"c++\", \"-DSTEPS=6\", \"b.cpp\"]}]\n");
  const auto result = lower(folder.write("step.cuh", "__device__ int f() { return STEPS; }\n"), {});
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(print(result->program), "function f ()\n  return 6\n");
  EXPECT_THAT(result->program.notes, testing::IsEmpty());
}

TEST(CppFlags, BrokenDatabaseIsAnErrorWithItsPlace) {
  const TemporaryFolder folder;
  folder.write("compile_commands.json", "[{\"directory\": \"/\",\n  \"file\": \"a.cpp\"");
  Options options;
  options.build_path = folder.path();
  const auto result = lower(folder.write("a.cpp", "int x;\n"), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where.file, folder.path() + "/compile_commands.json");
  EXPECT_EQ(result.error().where.begin.line, 2);
  EXPECT_THAT(result.error().message, HasSubstr("not JSON"));
}

TEST(CppFlags, DatabasesOfAnotherShapeAreErrors) {
  for (const std::string text : {"{}", "[1]", "[{\"file\": \"a.cpp\"}]", "[{\"directory\": \"/\"}]",
                                 "[{\"file\": \"a.cpp\", \"arguments\": [1]}]"}) {
    SCOPED_TRACE(text);
    const TemporaryFolder folder;
    folder.write("compile_commands.json", text);
    Options options;
    options.build_path = folder.path();
    EXPECT_FALSE(lower(folder.write("a.cpp", "int x;\n"), options));
  }
}

TEST(CppFlags, NothingFoundSaysWhatWouldBe) {
  const TemporaryFolder folder;
  const auto result = lower(folder.write("a.cpp", "int x;\n"), {});
  ASSERT_FALSE(result);
  EXPECT_THAT(to_string(result.error()), HasSubstr("-p BUILD"));
}

// A file whose API is not declared says nothing by having no findings.
TEST(CppFlags, WithoutTorchHeadersIsAnError) {
  const TemporaryFolder folder;
  Options options;
  options.flags = {"-std=c++17"};
  const auto result =
      lower(folder.write("a.cpp",
                         "#include <torch/torch.h>\nvoid f(torch::Tensor x) { x.backward(); }\n"),
            options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where.begin.line, 1);
  EXPECT_THAT(result.error().message, HasSubstr("'torch/torch.h' file not found"));
  EXPECT_THAT(result.error().accepted, HasSubstr("LibTorch's include folders"));
}

// --- input that is not what it should be

TEST(CppRobustness, ErrorsBecomeNotesWhereSomethingIsLeft) {
  const ir::Program program = lowered_text(
      "#include <torch/torch.h>\n"
      "#include <no/such/header.h>\n"
      "void f(torch::Tensor loss, no::Such thing) {\n"
      "  thing.act(loss.item<float>());\n"
      "  loss.backward();\n"
      "}\n"
      "void g( {\n");
  const auto ops = operations(program, "f");
  EXPECT_TRUE(std::any_of(ops.begin(), ops.end(),
                          [](const ir::Op& op) { return op.kind == ir::Kind::Backward; }));
  ASSERT_FALSE(program.notes.empty());
  EXPECT_THAT(program.notes[0], HasSubstr("main.cpp:2:10: 'no/such/header.h' file not found"));
}

TEST(CppRobustness, NothingLoweredIsTheFirstError) {
  const TemporaryFolder folder;
  const auto result = lower(folder.write("a.cpp", "this is not a program\n"), with_declarations());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where.begin.line, 1);
}

TEST(CppRobustness, EmptyFileIsAnEmptyProgram) { EXPECT_TRUE(lowered_text("").functions.empty()); }

TEST(CppRobustness, MissingFile) {
  const auto result = lower("/no/such/file.cpp", with_declarations());
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("cannot be read"));
}

TEST(CppRobustness, ZeroBytes) {
  const TemporaryFolder folder;
  const auto result =
      lower(folder.write("a.cpp", std::string("int a;\nint \0b;", 13)), with_declarations());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where.begin.line, 2);
}

TEST(CppRobustness, RandomBytes) {
  std::string text;
  unsigned state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525U + 1013904223U;
    text += static_cast<char>(1 + (state >> 24) % 255);
  }
  const TemporaryFolder folder;
  const auto result = lower(folder.write("a.cpp", text), with_declarations());
  if (!result) {
    EXPECT_FALSE(result.error().message.empty());
  }
}

TEST(CppRobustness, DeepNestingDoesNotCrash) {
  const std::string deep[] = {
      "int f(int x) { return " + repeated("(", 20000) + "x" + repeated(")", 20000) + "; }\n",
      "int f(int x) { return x" + repeated(" + x", 20000) + "; }\n",
      "int f(int x) { return " + repeated("-", 1) + repeated("!", 20000) + "x; }\n",
      "void f() " + repeated("{", 20000) + repeated("}", 20000) + "\n",
      "int f(int x) { " + repeated("if (x) ; else ", 5000) + "return x; return 0; }\n",
  };
  for (const std::string& text : deep) {
    SCOPED_TRACE(text.substr(0, 40));
    const TemporaryFolder folder;
    const auto result = lower(folder.write("a.cpp", text), with_declarations());
    if (!result) {
      EXPECT_FALSE(result.error().message.empty());
    }
  }
}

TEST(CppRobustness, PrintsNothing) {
  const TemporaryFolder folder;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Options options;
  options.flags = {"-Wall", "-fno-such-flag", "-ftime-trace-what"};
  (void)lower(folder.write("a.cpp", "#warning loud\nint f( { return 1; }\n"), options);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// --- precompiled headers

namespace {

// A torch.h of one line, so that precompiling it takes no time.
struct SmallTorch {
  TemporaryFolder folder;
  std::string file;
  Options options;

  SmallTorch() {
    folder.write("inc/torch/torch.h",
                 "#pragma once\nnamespace torch { inline int one() { return 1; } }\n");
    file = folder.write("a.cpp", "#include <torch/torch.h>\nint f() { return torch::one(); }\n");
    options.flags = {"-isystem", folder.path() + "/inc"};
    options.cache_path = folder.path() + "/cache";
  }
  std::vector<std::string> entries(const std::string& extension) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(options.cache_path)) {
      if (entry.path().extension() == extension) found.push_back(entry.path().string());
    }
    return found;
  }
};

}  // namespace

TEST(CppPrecompiled, BuiltOnceAndSaid) {
  SmallTorch small;
  std::vector<std::string> said;
  small.options.progress = [&](const std::string& text) { said.push_back(text); };
  const std::string first = print(lowered(small.file, small.options));
  EXPECT_EQ(said.size(), 1U);
  EXPECT_EQ(small.entries(".pch").size(), 1U);
  EXPECT_EQ(print(lowered(small.file, small.options)), first);
  EXPECT_EQ(said.size(), 1U);
}

TEST(CppPrecompiled, DamagedIsBuiltAgain) {
  SmallTorch small;
  const std::string first = print(lowered(small.file, small.options));
  const std::string pch = small.entries(".pch").at(0);
  fs::resize_file(pch, fs::file_size(pch) / 2);
  const auto again = lower(small.file, small.options);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(print(again->program), first);
  EXPECT_TRUE(again->program.notes.empty());
  ASSERT_EQ(again->messages.size(), 1U);
  EXPECT_THAT(again->messages[0], HasSubstr("damaged"));
}

TEST(CppPrecompiled, ChangedHeaderIsBuiltAgain) {
  SmallTorch small;
  (void)lowered(small.file, small.options);
  small.folder.write("inc/torch/torch.h",
                     "#pragma once\nnamespace torch { inline int one() { return 1; } inline int "
                     "two() { return 2; } }\n");
  small.folder.write("a.cpp", "#include <torch/torch.h>\nint f() { return torch::two(); }\n");
  const auto again = lower(small.file, small.options);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_TRUE(again->program.notes.empty()) << again->program.notes.front();
}

// As when another release of LibTorch comes into the folder: torch.h itself may be the same.
TEST(CppPrecompiled, ChangedInnerHeaderIsBuiltAgain) {
  SmallTorch small;
  small.folder.write("inc/torch/inner.h", "namespace torch { inline int one() { return 1; } }\n");
  small.folder.write("inc/torch/torch.h", "#pragma once\n#include <torch/inner.h>\n");
  (void)lowered(small.file, small.options);
  small.folder.write(
      "inc/torch/inner.h",
      "namespace torch { inline int one() { return 1; } inline int two() { return 2; } }\n");
  small.folder.write("a.cpp", "#include <torch/torch.h>\nint f() { return torch::two(); }\n");
  const auto again = lower(small.file, small.options);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_TRUE(again->program.notes.empty()) << again->program.notes.front();
}

TEST(CppPrecompiled, UnwritableCacheIsSaidAndIgnored) {
  SmallTorch small;
  small.folder.write("file", "not a folder\n");
  small.options.cache_path = small.folder.path() + "/file/cache";
  const auto result = lower(small.file, small.options);
  ASSERT_TRUE(result) << to_string(result.error());
  ASSERT_EQ(result->messages.size(), 1U);
  EXPECT_THAT(result->messages[0], HasSubstr("not cached"));
}
