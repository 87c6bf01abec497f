// Which CUDA release a program is going to need.
#include "verifier/dryrun/cuda_release.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::dryrun {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

// A "python" that answers where torch is, as the real one would.
void write_program(const test::TemporaryFolder& folder, const std::string& name,
                   const std::string& text) {
  folder.write(name, text);
  fs::permissions(folder.path() + "/" + name, fs::perms::owner_all);
}

void write_python(const test::TemporaryFolder& folder, const std::string& runtime) {
  folder.write("site/torch/lib/libc10_cuda.so", std::string("\x7f") + "ELF\0" + runtime + "\0");
  write_program(folder, "bin/python3",
                "#!/bin/sh\nprintf %s '" + folder.path() + "/site/torch/__init__.py'\n");
}

std::vector<std::string> in(const test::TemporaryFolder& folder) {
  return {"PATH=" + folder.path() + "/bin:/usr/bin:/bin"};
}

TEST(CudaRelease, OfPythonPrograms) {
  test::TemporaryFolder folder;
  write_python(folder, "libcudart.so.12");
  write_program(folder, "bin/by-env", "#!/usr/bin/env python3\nimport torch\n");
  write_program(folder, "bin/by-path", "#!" + folder.path() + "/bin/python3\nimport torch\n");
  for (const std::string& program : {std::string("python3"), folder.path() + "/bin/python3",
                                     std::string("by-env"), std::string("by-path")}) {
    const auto wanted = wanted_cuda({program, "train.py"}, in(folder));
    ASSERT_TRUE(wanted) << program;
    EXPECT_EQ(wanted->major, 12);
    EXPECT_EQ(wanted->library, folder.path() + "/site/torch/lib/libc10_cuda.so");
  }
}

TEST(CudaRelease, UnknownWhereNothingSays) {
  test::TemporaryFolder folder;
  write_python(folder, "libm.so.6");
  write_program(folder, "bin/script", "#!/bin/sh\nexit 1\n");
  folder.write("bin/empty", "");
  for (const char* program : {"python3", "script", "empty", "nowhere", "/bin/sh", "/"}) {
    EXPECT_FALSE(wanted_cuda({program}, in(folder))) << program;
  }
  EXPECT_FALSE(wanted_cuda({"python3"}, {}));
}

TEST(CudaRelease, PicksTheEmulatorThatFits) {
  test::TemporaryFolder folder;
  folder.write("libcudart.so.13", "");
  folder.write("cu12/libcudart.so.12", "");
  EXPECT_EQ(*emulator_of(folder.path(), std::nullopt), folder.path());
  EXPECT_EQ(*emulator_of(folder.path(), CudaRelease{13, "x"}), folder.path());
  EXPECT_EQ(*emulator_of(folder.path(), CudaRelease{12, "x"}), folder.path() + "/cu12");
  const auto missing = emulator_of(folder.path(), CudaRelease{11, "/site/libc10_cuda.so"});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("/site/libc10_cuda.so needs libcudart.so.11"));
  EXPECT_THAT(missing.error().message, HasSubstr("is for libcudart.so.13"));
  EXPECT_THAT(missing.error().accepted, HasSubstr("FORERUN_EMULATOR_SITES"));
}

}  // namespace
}  // namespace forerun::dryrun
