#include "analyzer/cpp/database.h"

#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

namespace forerun::cpp {
namespace {

using clang::tooling::CompileCommand;

// Clang's own reader prints JSON errors to stderr and gives no place, hence this one.
class Listed : public clang::tooling::CompilationDatabase {
 public:
  explicit Listed(std::vector<CompileCommand> commands) : commands_(std::move(commands)) {
    for (std::size_t i = 0; i < commands_.size(); ++i) by_file_[key(commands_[i])].push_back(i);
  }

  std::vector<CompileCommand> getCompileCommands(llvm::StringRef path) const override {
    std::vector<CompileCommand> found;
    llvm::SmallString<256> name(path);
    llvm::sys::path::remove_dots(name, /*remove_dot_dot=*/true);
    const auto entry = by_file_.find(std::string(name));
    if (entry == by_file_.end()) return found;
    for (const std::size_t i : entry->second) found.push_back(commands_[i]);
    return found;
  }

  std::vector<std::string> getAllFiles() const override {
    std::vector<std::string> files;
    for (const auto& [file, indices] : by_file_) files.push_back(file);
    return files;
  }

  std::vector<CompileCommand> getAllCompileCommands() const override { return commands_; }

 private:
  static std::string key(const CompileCommand& command) {
    llvm::SmallString<256> name(command.Filename);
    if (!llvm::sys::path::is_absolute(name)) {
      name = command.Directory;
      llvm::sys::path::append(name, command.Filename);
    }
    llvm::sys::path::remove_dots(name, /*remove_dot_dot=*/true);
    return std::string(name);
  }

  std::vector<CompileCommand> commands_;
  std::map<std::string, std::vector<std::size_t>> by_file_;
};

std::vector<std::string> split(llvm::StringRef command) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char*, 64> words;
  llvm::cl::TokenizeGNUCommandLine(command, saver, words);
  return {words.begin(), words.end()};
}

// "[3:14, byte=60]: Expected , or ]" -> place and words.
Error json_error(const std::string& path, const std::string& message) {
  int line = 0;
  int column = 0;
  Location at{path, {}, {}};
  std::string words = message;
  if (std::sscanf(message.c_str(), "[%d:%d", &line, &column) == 2) {
    at.begin = {line, column};
    if (const auto colon = message.find("]: "); colon != std::string::npos)
      words = message.substr(colon + 3);
  }
  return error_at(at, fmt::format("not JSON: {}", words),
                  "a compilation database as CMake or Bear writes it");
}

Error shape_error(const std::string& path, std::size_t entry, const std::string& what) {
  return error_at({path, {}, {}}, fmt::format("entry {} {}", entry, what),
                  "a list of {directory, file, command | arguments}");
}

Result<CompileCommand> read_entry(const std::string& path, std::size_t index,
                                  const llvm::json::Value& value) {
  const llvm::json::Object* object = value.getAsObject();
  if (!object) return shape_error(path, index, "is not an object");
  const auto file = object->getString("file");
  if (!file) return shape_error(path, index, "has no \"file\"");
  CompileCommand command;
  command.Filename = file->str();
  command.Directory =
      object->getString("directory").value_or(llvm::sys::path::parent_path(path)).str();
  command.Output = object->getString("output").value_or("").str();
  if (const llvm::json::Array* arguments = object->getArray("arguments")) {
    for (const llvm::json::Value& argument : *arguments) {
      const auto word = argument.getAsString();
      if (!word) return shape_error(path, index, "has an argument that is not a string");
      command.CommandLine.push_back(word->str());
    }
  } else if (const auto text = object->getString("command")) {
    command.CommandLine = split(*text);
  }
  if (command.CommandLine.empty())
    return shape_error(path, index, "has no \"command\" and no \"arguments\"");
  return command;
}

}  // namespace

Result<DatabaseFile> read_database(const std::string& path) {
  const auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    return error_at({path, {}, {}}, fmt::format("cannot be read: {}", buffer.getError().message()),
                    "a folder with compile_commands.json");
  }
  auto json = llvm::json::parse((*buffer)->getBuffer());
  if (!json) return json_error(path, llvm::toString(json.takeError()));
  const llvm::json::Array* entries = json->getAsArray();
  if (!entries) return shape_error(path, 0, "is missing: the file is not a list");
  std::vector<CompileCommand> commands;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    auto command = read_entry(path, i, (*entries)[i]);
    if (!command) return command.error();
    commands.push_back(std::move(*command));
  }
  DatabaseFile database;
  database.path = path;
  database.exact = std::make_shared<Listed>(commands);
  database.inferred =
      clang::tooling::inferMissingCompileCommands(std::make_unique<Listed>(commands));
  return database;
}

}  // namespace forerun::cpp
