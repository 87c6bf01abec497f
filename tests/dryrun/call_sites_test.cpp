// Which frame of a chain a report names, and how.
#include "verifier/dryrun/call_sites.h"

#include <filesystem>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/dryrun/log_builder.h"

// In the table of dynamic symbols of no test; found by .symtab.
extern "C" __attribute__((noinline)) int a_function_of_the_program(int x) {
  return x * 3 + 1;  // line 14
}

namespace forerun::dryrun {
namespace {

using test::kSite;
using test::LogBuilder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ShownPath, IsRelativeOrOfItsPackage) {
  const PathStyle style{"/srv/me/project", {"python", "/data/run/train.py"}};
  EXPECT_EQ(shown_path("/srv/me/project/src/model.py", style), "src/model.py");
  EXPECT_EQ(shown_path("train.py", style), "train.py");
  EXPECT_EQ(shown_path("./train.py", style), "train.py");
  EXPECT_EQ(shown_path(std::string(kSite) + "torch/optim/adam.py", style), "torch/optim/adam.py");
  EXPECT_EQ(shown_path("/usr/lib/python3.11/threading.py", style), "python3.11/threading.py");
  EXPECT_EQ(shown_path("/data/run/train.py", style), "/data/run/train.py");
  EXPECT_EQ(shown_path("/data/run/lib/x.py", style), "/data/run/lib/x.py");
  EXPECT_EQ(shown_path("/srv/other/secret/deep/x.py", style), "deep/x.py");
  EXPECT_EQ(shown_path("<string>", style), "<string>");
  EXPECT_EQ(shown_path("", style), "");
}

class Sites : public ::testing::Test {
 protected:
  Place place(std::uint32_t site) {
    log_ = builder_.read();
    CallSites sites(log_, {"/here", {}});
    return sites.place(sites.place_of(site));
  }
  SitePhase phase(std::uint32_t site) {
    log_ = builder_.read();
    return CallSites(log_, {"/here", {}}).phase_of(site);
  }
  LogBuilder builder_;
  ProcessLog log_;
};

TEST_F(Sites, TheProgramsOwnInnermostFrame) {
  const auto main = builder_.site("/here/train.py", 40, "<module>");
  const auto step = builder_.site("/here/train.py", 12, "step", main);
  const auto torch = builder_.site(std::string(kSite) + "torch/_tensor.py", 38, "backward", step);
  const auto deeper = builder_.site(std::string(kSite) + "torch/autograd/graph.py", 8, "go", torch);
  EXPECT_EQ(to_string(place(deeper)), "train.py:12 in step");
  EXPECT_EQ(place(deeper).below, "torch/_tensor.py:38 in backward");
  EXPECT_EQ(to_string(place(main)), "train.py:40");
  EXPECT_EQ(place(main).below, "");
}

TEST_F(Sites, APackageIsNamedWithTheProgramsLine) {
  const auto main = builder_.site("/here/train.py", 4, "main");
  const auto trainer =
      builder_.site(std::string(kSite) + "transformers/trainer.py", 90, "train", main);
  const auto torch =
      builder_.site(std::string(kSite) + "torch/nn/modules/linear.py", 7, "forward", trainer);
  EXPECT_EQ(to_string(place(torch)), "transformers/trainer.py:90 in train");
  EXPECT_EQ(place(torch).called_from, "train.py:4 in main");
}

TEST_F(Sites, NothingButTheLibraryIsNamedAsItIs) {
  const auto thread = builder_.site("/usr/lib/python3.11/threading.py", 1002, "_bootstrap");
  const auto torch = builder_.site(std::string(kSite) + "torch/x.py", 5, "work", thread);
  EXPECT_EQ(to_string(place(torch)), "python3.11/threading.py:1002 in _bootstrap");
  EXPECT_EQ(to_string(place(0)), "a place that is not known");
  EXPECT_EQ(to_string(place(4000)), "a place that is not known");
}

TEST_F(Sites, AChainThatLeadsBackEnds) {
  const auto a = builder_.site(std::string(kSite) + "torch/a.py", 1, "a");
  const auto b = builder_.site(std::string(kSite) + "torch/b.py", 2, "b", a);
  builder_.area().site[a].caller = b;
  EXPECT_THAT(to_string(place(b)), HasSubstr("torch/"));
  EXPECT_EQ(phase(b), SitePhase::kNone);
}

TEST_F(Sites, PhasesByTheInnermostTellingFrame) {
  const auto main = builder_.site("/here/train.py", 4, "main");
  const auto backward =
      builder_.site(std::string(kSite) + "torch/autograd/__init__.py", 360, "backward", main);
  const auto optimizer =
      builder_.site(std::string(kSite) + "torch/optim/adam.py", 360, "step", main);
  const auto call = builder_.site(std::string(kSite) + "torch/nn/modules/module.py", 1776,
                                  "Module._call_impl", main);
  EXPECT_EQ(phase(main), SitePhase::kNone);
  EXPECT_EQ(phase(backward), SitePhase::kBackward);
  EXPECT_EQ(phase(optimizer), SitePhase::kOptimizer);
  EXPECT_EQ(phase(call), SitePhase::kModuleCall);
}

TEST_F(Sites, NativeFramesAreFoundInTheirObjects) {
  if (!NativeSymbols::available()) GTEST_SKIP() << "built without libdw";
  Dl_info info{};
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&Sites::SetUpTestSuite), &info), 0);
  const auto offset = reinterpret_cast<std::uintptr_t>(&a_function_of_the_program) -
                      reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto main = builder_.site(self, 0, "", 0, offset + 2);
  const auto torch = builder_.site("/opt/libtorch/lib/libtorch_cpu.so", 0, "at::add", main, 99);
  const Place found = place(torch);
  EXPECT_EQ(found.function, "a_function_of_the_program");
  EXPECT_THAT(found.file, HasSubstr("call_sites_test.cpp"));
  EXPECT_GT(found.line, 12);
  EXPECT_LT(found.line, 16);
  EXPECT_EQ(found.below, "libtorch_cpu.so in at::add");
}

TEST_F(Sites, ANativeFrameThatCannotBeReadKeepsItsOffset) {
  const auto gone = builder_.site("/no/such/program", 0, "", 0, 0x1234);
  EXPECT_EQ(to_string(place(gone)), "such/program in 0x1234");
}

TEST(KernelName, IsDemangledAndShortened) {
  EXPECT_EQ(kernel_name("plain_kernel"), "plain_kernel");
  EXPECT_EQ(kernel_name("_Z3addIfEvPT_i"), "add<float>");
  EXPECT_EQ(kernel_name("_ZN2at6native6vectorIiEEvi"), "vector<int>");
  // void apply<Meta<1>, Pair<Pair<int, long>, float>>(int), without what is three deep
  EXPECT_EQ(kernel_name("_Z5applyI4MetaILi1EE4PairIS2_IilEfEEvi"),
            "apply<Meta<1>, Pair<Pair, float>>");
  EXPECT_THAT(kernel_name(std::string(500, 'k')), StartsWith("kkkk"));
  EXPECT_LE(kernel_name(std::string(500, 'k')).size(), 110u);
}

}  // namespace
}  // namespace forerun::dryrun
