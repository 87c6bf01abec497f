#include "estimator/readers/bytes.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace forerun::readers {
namespace {

class FileBytes : public Bytes {
 public:
  FileBytes(std::string path, std::ifstream file, std::int64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  std::int64_t size() const override { return size_; }

  Result<std::string> read(std::int64_t offset, std::int64_t length) override {
    std::string text(static_cast<std::size_t>(length), '\0');
    file_.clear();
    file_.seekg(offset);
    file_.read(text.data(), length);
    if (file_.gcount() == length) return text;
    return error_at({path_, {}, {}}, fmt::format("cannot read {} bytes at {}", length, offset));
  }

 private:
  std::string path_;
  std::ifstream file_;
  std::int64_t size_;
};

class MemoryBytes : public Bytes {
 public:
  explicit MemoryBytes(std::string_view text) : text_(text) {}
  std::int64_t size() const override { return static_cast<std::int64_t>(text_.size()); }
  Result<std::string> read(std::int64_t offset, std::int64_t length) override {
    return std::string(
        text_.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length)));
  }

 private:
  std::string_view text_;
};

}  // namespace

Result<std::unique_ptr<Bytes>> open_file(const std::string& path) {
  std::error_code problem;
  const bool is_file = std::filesystem::is_regular_file(path, problem);
  if (problem) return error_at({path, {}, {}}, "cannot open: " + problem.message());
  if (!is_file) return error_at({path, {}, {}}, "cannot open: not a file");
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, problem));
  std::ifstream file(path, std::ios::binary);
  if (problem || !file) return error_at({path, {}, {}}, "cannot open: permission denied");
  return std::unique_ptr<Bytes>(new FileBytes(path, std::move(file), size));
}

std::unique_ptr<Bytes> open_memory(std::string_view text) {
  return std::make_unique<MemoryBytes>(text);
}

}  // namespace forerun::readers
