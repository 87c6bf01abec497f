// One run of Clang over one file: diagnostics captured, stack and crashes bounded, headers'
// function bodies skipped.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cpp/flags.h"
#include "analyzer/ir/ir.h"
#include "core/result.h"
#include "core/source.h"

namespace clang {
class ASTContext;
class Decl;
}  // namespace clang

namespace forerun::cpp {

class SourceFiles;

struct Message {
  Location at;
  std::string text;
  bool error = false;
};

struct Parsed {
  std::vector<Message> messages;  // errors and warnings of the driver and the parser, in order
  bool crashed = false;           // Clang itself failed; nothing was handed over
  std::string crash;              // what is known of it
};

// The cc1 arguments the driver makes of a command line; empty (with messages) when it makes none.
struct DriverResult {
  std::vector<std::string> cc1;
  std::vector<Message> messages;
};
// A file as it is in memory rather than on the disk.
struct Unsaved {
  std::string path;
  std::string_view text;
};
DriverResult run_driver(const CommandLine& line, const std::optional<Unsaved>& unsaved = {});

// What the visitor gets: valid only during the call.
struct Unit {
  clang::ASTContext& ast;
  const SourceFiles& files;
  const std::vector<clang::Decl*>& declarations;  // top level, of the user's files
  const std::vector<ir::Comment>& comments;
  const std::vector<std::string>& includes;  // as written in the user's files
};

struct ParseRequest {
  std::vector<std::string> cc1;
  std::string directory;
  std::string pch;        // a precompiled header to start from; empty: none
  std::string user_path;  // how the user named the file
  std::optional<Unsaved> unsaved;
};

// Parses and calls `visit` with the finished unit. Templates of the user's files are instantiated,
// others only as far as types need it.
Parsed parse(const ParseRequest& request, const std::function<void(Unit&)>& visit);

// Parses `header` alone and writes it as a precompiled header.
Parsed write_pch(const std::vector<std::string>& cc1, const std::string& directory,
                 const std::string& header, const std::string& output);

// Runs on a thread with a stack that deep nesting cannot exhaust; false when it crashed.
bool run_guarded(const std::function<void()>& work);

}  // namespace forerun::cpp
