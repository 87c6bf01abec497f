#include "rules/rule.h"

#include <algorithm>

#include <fmt/format.h>

#include "rules/registration.h"

namespace forerun::rules {
namespace {

bool is_member(const ir::Class& type, const std::string& name) {
  return type.members.contains({"self", {name}});
}

bool registered_as_itself(const Registered& seen, const std::string& member) {
  return std::any_of(seen.registrations.begin(), seen.registrations.end(),
                     [&](const Registration& one) { return one.member == member; }) ||
         std::any_of(seen.made.begin(), seen.made.end(),
                     [&](const MemberMade& one) { return one.member == member && one.registered; });
}

const MemberMade* made_plainly(const Registered& seen, const std::string& member) {
  for (const MemberMade& one : seen.made) {
    if (one.member == member && !one.registered) return &one;
  }
  return nullptr;
}

// The name says one member, the object is another, or a new one that nothing keeps.
void misnamed(const ir::Class& type, const Registered& seen, Findings& found) {
  for (const Registration& one : seen.registrations) {
    if (one.key == one.member || !is_member(type, one.key) || registered_as_itself(seen, one.key))
      continue;
    const MemberMade* used = made_plainly(seen, one.key);
    if (used == nullptr) continue;
    found
        .at(one.op->at,
            one.member.empty()
                ? fmt::format("'{}' names another object than the member {}", one.key, one.key)
                : fmt::format("'{}' is registered with the member {}", one.key, one.member))
        .note(used->op->at, fmt::format("{} is made here and never registered", one.key))
        .help(fmt::format("register_module(\"{}\", {})", one.key, one.key));
  }
}

// Registered, and then given another object.
void replaced(const Registered& seen, Findings& found) {
  for (const MemberMade& later : seen.made) {
    if (later.registered) continue;
    const ir::Op* registered = nullptr;
    bool again = false;
    for (const MemberMade& one : seen.made) {
      if (one.member == later.member && one.registered && one.order < later.order)
        registered = one.op;
    }
    for (const Registration& one : seen.registrations) {
      if (one.member != later.member) continue;
      if (one.order < later.order) registered = one.op;
      again |= later.order < one.order;
    }
    if (registered == nullptr || again) continue;
    found
        .at(later.op->at,
            fmt::format("{} is given another object than the one registered", later.member))
        .note(registered->at, "the object registered here is used no more")
        .help("register the object that is used, after it is made");
  }
}

void declarations(const ir::Program& program, Findings& found) {
  if (program.language != ir::Language::Cpp) return;
  for (const ir::Class& type : program.classes) {
    if (!is_module_class(program, type)) continue;
    const Registered seen = registered_in(program, type);
    misnamed(type, seen, found);
    replaced(seen, found);
  }
}

}  // namespace

extern const Rule wrong_object_registered;
constinit const Rule wrong_object_registered{Level::Error, nullptr, 0, false, declarations};

}  // namespace forerun::rules
