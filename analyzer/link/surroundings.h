// What a Python file's findings may depend on besides its own text, told from the texts alone: the
// files of the run that link() could look into. More than it will, never less.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/link/modules.h"

namespace forerun::link {

// Every dotted name that an import in the text could mean, "engine" and "engine.train" both, in
// order; words of comments and strings that look like imports among them.
std::vector<std::string> imported_names(std::string_view text);

class Surroundings {
 public:
  using Read = std::function<std::optional<std::string>(const std::string& file)>;
  using Digest = std::function<std::string(std::string_view)>;
  Surroundings(const Modules& modules, Read read, Digest digest)
      : modules_(modules), read_(std::move(read)), digest_(std::move(digest)) {}

  // The same for the same surroundings; empty when there are none. Safe from several threads.
  std::string digest(const std::string& file, std::string_view text);

 private:
  struct Known {
    std::string digest;           // of the text; empty: link() does not look into it
    std::set<std::string> leads;  // files that its imports may mean
  };
  const Known& known(const std::string& file);
  std::set<std::string> leads(const std::string& file, std::string_view text) const;

  const Modules& modules_;
  const Read read_;
  const Digest digest_;
  std::mutex guard_;
  std::map<std::string, Known> known_;
};

}  // namespace forerun::link
