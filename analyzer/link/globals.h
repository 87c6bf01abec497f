// Names of a program's top level, and which functions of other files would take them for their own
// file's.
#pragma once

#include <set>
#include <string>

#include "analyzer/ir/ir.h"

namespace forerun::link {

class Globals {
 public:
  explicit Globals(const ir::Program& program);
  // Whether the function reads a name that it does not bind itself and that the program's top level
  // has too: followed here, it would read the wrong one.
  bool are_read_by(const ir::Function& function) const;

 private:
  std::set<std::string> names_;
};

}  // namespace forerun::link
