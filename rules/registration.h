// What a C++ module's constructor and methods register, for the rules about members that are not.
#pragma once

#include <string>
#include <vector>

#include "rules/declarations.h"

namespace forerun::rules {

// register_module, register_parameter or register_buffer of an object that has a name already, or
// of one that nothing keeps.
struct Registration {
  const ir::Op* op = nullptr;
  std::string key;     // the name it is registered under
  std::string member;  // of self; empty when the object is no member
  int order = 0;       // in the program's order: initialisers run before the constructor's body
};

// self.member = a module or a tensor that needs gradients.
struct MemberMade {
  const ir::Op* op = nullptr;
  std::string member;
  bool registered = false;  // by the call that makes it
  bool tensor = false;
  int order = 0;
};

struct Registered {
  std::vector<Registration> registrations;  // in program order
  std::vector<MemberMade> made;
  std::vector<std::string> given_away;  // members that some other call is given
  bool dynamic = false;                 // names are computed: anything may be registered
};
Registered registered_in(const ir::Program& program, const ir::Class& type);

}  // namespace forerun::rules
