// Inputs that are wrong in every way a file can be, and what each tool must do with them: say so in
// words that name the file, print nothing else, write nothing, and end with exit status 2.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/golden.h"

namespace forerun::test {

inline std::string tool(const std::string& name) { return FORERUN_BINARY_DIR "/bin/" + name; }

inline const char* const kGoodSpec =
    "model: [{linear: {in: 4, out: 8}}, relu, {linear: {in: 8, out: 2}}]\n"
    "input: {shape: [4], dtype: float32}\n"
    "target: {shape: [], dtype: int64}\n"
    "loss: cross_entropy\n"
    "batch_size: 4\n"
    "optimizer: {name: sgd}\n"
    "gpu: h100-sxm-80gb\n"
    "framework: pytorch-2.11\n";

// A file of 10 GB that takes no space on disk.
inline std::string sparse_file(const TemporaryFolder& folder, const std::string& name) {
  const std::string path = folder.write(name, "");
  std::filesystem::resize_file(path, 10'000'000'000);
  return path;
}

// Bytes that are no text in any encoding, from a fixed generator.
inline std::string junk() {
  std::string bytes(
      "\x7f"
      "ELF\x02\x01\x01\0\xff\xfe",
      10);
  std::uint32_t state = 31;
  for (int i = 0; i < 4096; ++i)
    bytes += static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  return bytes;
}

// Refusals are immediate and cheap, so they get little time: a tool that reads 10 GB does not make
// it.
inline CommandResult run_tool(const std::vector<std::string>& argv) {
  return run_command(argv, {}, 60);
}

// `mentions` is what the message must name: the file, the option, the value.
inline void expect_refused(const CommandResult& result, const std::string& mentions) {
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::HasSubstr(": error: "));
  EXPECT_THAT(result.err, ::testing::HasSubstr(mentions));
  for (const char* crash : {"internal error", "terminate called", "runtime error",
                            "AddressSanitizer", "basic_string", "std::"}) {
    EXPECT_THAT(result.err, ::testing::Not(::testing::HasSubstr(crash)));
  }
}

inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  return names;
}

// Interrupts `argv`, which writes `output`, at many instants. `output` then holds `before` or
// `after`, whole, and nothing stands beside it.
inline void expect_interrupt_leaves_a_whole_file(const std::vector<std::string>& argv,
                                                 const std::string& folder,
                                                 const std::string& output,
                                                 const std::string& before, double longest_s) {
  const std::string path = folder + "/" + output;
  ASSERT_TRUE(std::filesystem::exists(path));
  run_tool(argv);
  const std::string after = read_all(path);
  ASSERT_NE(after, before) << "the run writes nothing to interrupt";
  constexpr int kTries = 12;
  for (int i = 0; i < kTries; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const int nowhere = ::open("/dev/null", O_WRONLY);
      ::dup2(nowhere, 1);
      ::dup2(nowhere, 2);
      std::vector<char*> words;
      for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    ::usleep(static_cast<useconds_t>(longest_s * 1e6 * (i + 1) / kTries));
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    const std::string text = read_all(path);
    EXPECT_TRUE(text == before || text == after) << text.size() << " bytes, try " << i;
    for (const std::string& name : names_in(folder))
      EXPECT_THAT(name, ::testing::Not(::testing::HasSubstr("partial")));
  }
}

}  // namespace forerun::test
