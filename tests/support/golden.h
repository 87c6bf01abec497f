// Golden files: FORERUN_BLESS=1 rewrites them; the diff is then read before it is committed.
#pragma once

#include <string>
#include <vector>

namespace forerun::test {

// Fails the running GoogleTest unless `actual` equals the file's bytes; names the file and the
// first differing line. With FORERUN_BLESS=1 in the environment it writes the file and passes.
void expect_golden(const std::string& path, const std::string& actual);

struct CommandResult {
  int exit_code = -1;  // 128 + signal when killed by one
  std::string out, err;
};
// Runs a program (no shell), feeds `input`, collects both streams. Ends it after timeout_s.
CommandResult run_command(const std::vector<std::string>& argv, const std::string& input = {},
                          double timeout_s = 120);

// A fresh temporary folder, removed with its contents at scope end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  // Writes a file below the folder and returns its whole path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

std::string read_all(const std::string& path);

}  // namespace forerun::test
