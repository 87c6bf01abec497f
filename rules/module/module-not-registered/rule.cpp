#include "rules/rule.h"

#include <algorithm>

#include <fmt/format.h>

#include "rules/registration.h"

namespace forerun::rules {
namespace {

bool knows(const Registered& seen, const std::string& member) {
  const bool registered = std::any_of(
      seen.registrations.begin(), seen.registrations.end(), [&](const Registration& one) {
        return one.member == member || one.key == member;  // by another object: its own mistake
      });
  const bool at_once = std::any_of(seen.made.begin(), seen.made.end(), [&](const MemberMade& one) {
    return one.member == member && one.registered;
  });
  return registered || at_once ||
         std::find(seen.given_away.begin(), seen.given_away.end(), member) != seen.given_away.end();
}

// A header alone: the constructors that register, and everything else, are in another file.
bool is_seen(const ir::Program& program, const ir::Class& type) {
  const auto methods = methods_of(program, type.name);
  return std::any_of(methods.begin(), methods.end(), [&](const ir::Function* method) {
    return method->name != type.name + ".__init__";
  });
}

// Made by default and then again: once is enough.
bool is_made_later(const Registered& seen, const MemberMade& one) {
  return std::any_of(seen.made.begin(), seen.made.end(), [&](const MemberMade& other) {
    return other.member == one.member && other.order > one.order;
  });
}

// In C++ a member is not registered by being one: parameters(), to(), train() and save() know
// nothing of it, and an optimizer made of parameters() never steps it.
void declarations(const ir::Program& program, Findings& found) {
  if (program.language != ir::Language::Cpp) return;
  for (const ir::Class& type : program.classes) {
    if (!is_module_class(program, type) || !is_seen(program, type)) continue;
    const Registered seen = registered_in(program, type);
    if (seen.dynamic) continue;
    for (const MemberMade& one : seen.made) {
      if (one.registered || knows(seen, one.member) || is_made_later(seen, one)) continue;
      const char* call = one.tensor ? "register_parameter" : "register_module";
      found.at(one.op->at, fmt::format("{} is never registered with its module", one.member))
          .note(type.at, "parameters(), to(), eval() and save() of this module pass it by")
          .help(fmt::format("{} = {}(\"{}\", ...)", one.member, call, one.member));
    }
  }
}

}  // namespace

extern const Rule module_not_registered;
constinit const Rule module_not_registered{Level::Error, nullptr, 0, false, declarations};

}  // namespace forerun::rules
