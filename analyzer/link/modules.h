// Which file of a run a Python import means, by the files' names alone.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace forerun::link {

// A dotted name taken apart: the file of the run that its module is, and what is left of it.
struct Symbol {
  std::string file;  // empty: no module of it is among the files
  std::string name;  // "train" of engine.train; may have dots; empty: the module itself
};

class Modules {
 public:
  // The run's Python files as they were named.
  explicit Modules(const std::vector<std::string>& files);

  bool empty() const { return files_.empty(); }
  // The longest part of `dotted` that is a module. Absolute names are looked for beside the
  // importing file and in the folders above it, nearest first: that is where sys.path points when
  // the file is run or its package is. Leading dots count folders up, as Python's do.
  Symbol find(const std::string& importer, std::string_view dotted) const;

 private:
  std::string file_of(const std::string& folder, std::string_view module) const;

  std::map<std::string, std::string> files_;  // without "./" and "..": as named
};

}  // namespace forerun::link
