#include "rules/rule.h"

#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using ir::Kind;

// A class of the program, nothing but nn.Module below it, that makes no weights and no buffers:
// registered or not, there is nothing to train, move or save.
bool has_nothing_to_register(const ir::Program& program, const ir::Op& made, int depth = 0) {
  const ir::Class* own = class_named(program, made.callee);
  if (program.language != ir::Language::Python || own == nullptr || own->bases.size() != 1 ||
      !own->bases.front().ends_with("Module") || depth > 4)
    return false;
  bool nothing = true;
  for (const ir::Function* method : methods_of(program, own->name)) {
    each_operation(*method, [&](const Site& site) {
      const ir::Op& op = *site.op;
      if (op.callee == "register_buffer" || op.callee == "register_parameter" ||
          op.callee == "Parameter" || op.callee == "setattr" || op.callee == "add_module")
        nothing = false;
      if (makes_stateful_module(program, op) && op.callee != own->name)
        nothing &= has_nothing_to_register(program, op, depth + 1);
    });
  }
  return nothing;
}

// A list, tuple or dict that a class's methods fill with modules.
struct Holder {
  const ir::Op* made = nullptr;       // the first module put in
  const ir::Op* kept_at = nullptr;    // where it becomes a member
  const ir::Op* filled_at = nullptr;  // an append; none for a literal
  std::string member;
  bool registered = false;
  bool hides_one = false;  // [module]: the known way to keep one out of the parameters on purpose
};

class Class {
 public:
  Class(const ir::Program& program, const ir::Class& type) : program_(program), type_(type) {
    for (const ir::Function* method : methods_of(program, type.name)) {
      if (method->name == type.name + ".parameters") registers_ = true;
      const bool runs = method->name == type.name + ".forward";
      each_operation(*method, [&](const Site& site) {
        if (!runs) see(*site.op);
        if (runs) registers_ |= is_registration(*site.op);
      });
      drop_locals();
    }
  }
  bool registers() const { return registers_; }
  const std::vector<std::shared_ptr<Holder>>& holders() const { return all_; }
  // On another path the member is an nn.ModuleList or nn.ModuleDict, made of the list or in its
  // place.
  bool is_registered_elsewhere(const std::string& member) const {
    return containers_.contains(member);
  }

 private:
  static bool is_registration(const ir::Op& op) {
    if (op.callee == "add_module" || op.callee == "setattr" || op.callee == "__setattr__")
      return true;
    // The value was named before, in a loop or through another name.
    if (op.callee != "register_module" || op.arguments.size() < 2) return false;
    const ir::Place* given = place_of(op.arguments[1].value);
    return given != nullptr && given->root != "self";
  }

  std::shared_ptr<Holder> holder(const ir::Operand& operand) const {
    const ir::Place* place = place_of(operand);
    if (place == nullptr) return nullptr;
    const auto found = holders_.find(bare(*place));
    return found == holders_.end() ? nullptr : found->second;
  }
  static ir::Place bare(ir::Place place) {
    while (!place.steps.empty() && place.steps.back() == "[]") place.steps.pop_back();
    return place;
  }
  const ir::Op* module(const ir::Operand& operand) const {
    const ir::Place* place = place_of(operand);
    if (place == nullptr) return nullptr;
    // In Python a member that is a module is registered by its name; the list only repeats it.
    if (program_.language == ir::Language::Python && place->root == "self" &&
        place->steps.size() == 1)
      return nullptr;
    const auto found = modules_.find(*place);
    return found == modules_.end() ? nullptr : found->second;
  }

  void hold(const ir::Place& place, std::shared_ptr<Holder> what, const ir::Op& op) {
    if (place.root == "self" && place.steps.size() == 1) {
      what->kept_at = &op;
      what->member = to_string(place);
    }
    holders_[place] = std::move(what);
  }

  void see(const ir::Op& op) {
    registers_ |= is_registration(op);
    switch (op.kind) {
      case Kind::Pack: return pack(op);
      case Kind::Append:
      case Kind::Store: return fill(op);
      case Kind::Assign: return assign(op);
      case Kind::Arith: return combine(op);
      default: return other(op);
    }
  }

  void pack(const ir::Op& op) {
    if (op.results.size() != 1) return;
    auto made = std::make_shared<Holder>();
    all_.push_back(made);
    for (const ir::Argument& one : op.arguments) {
      if (made->made == nullptr) made->made = module(one.value);
      const auto inner = holder(one.value);
      if (inner != nullptr && made->made == nullptr) made->made = inner->made;
    }
    made->hides_one = op.arguments.size() == 1 && made->made != nullptr;
    hold(op.results.front(), made, op);
  }

  void fill(const ir::Op& op) {
    const auto into = op.receiver ? holder(*op.receiver) : nullptr;
    if (into == nullptr) return other(op);
    for (const ir::Argument& one : op.arguments) {
      const ir::Op* made = module(one.value);
      const auto inner = holder(one.value);
      if (made == nullptr && inner != nullptr) made = inner->made;
      if (made != nullptr) into->hides_one = false;
      if (made == nullptr || into->made != nullptr) continue;
      into->made = made;
      into->filled_at = &op;
    }
  }

  void assign(const ir::Op& op) {
    if (op.results.size() != 1 || op.arguments.size() != 1) return;
    const ir::Operand& given = op.arguments.front().value;
    const ir::Place* from = place_of(given);
    if (from != nullptr && containers_.contains(to_string(*from)))
      containers_.insert(to_string(op.results.front()));
    if (const auto held = holder(given)) return hold(op.results.front(), held, op);
    if (const ir::Op* made = module(given)) modules_[op.results.front()] = made;
  }

  // [layer] * n and a + b are lists too.
  void combine(const ir::Op& op) {
    if (op.results.size() != 1) return;
    for (const ir::Argument& one : op.arguments) {
      const ir::Place* part = place_of(one.value);
      if (part != nullptr && containers_.contains(to_string(*part)))
        containers_.insert(to_string(op.results.front()));
    }
    for (const ir::Argument& one : op.arguments) {
      const auto held = holder(one.value);
      if (held == nullptr) continue;
      held->hides_one = false;
      return hold(op.results.front(), held, op);
    }
  }

  // Whoever else gets the list may register what is in it.
  void other(const ir::Op& op) {
    for (const ir::Argument& one : op.arguments) {
      if (const auto held = holder(one.value)) held->registered = true;
    }
    static const std::set<std::string> kContainers = {"ModuleList", "ModuleDict", "Sequential"};
    if (op.results.size() == 1 && kContainers.contains(op.callee) &&
        program_.language == ir::Language::Python)
      containers_.insert(to_string(op.results.front()));
    const bool registered = op.details.contains("registered");
    const bool moved = op.kind == Kind::Move && op.receiver && module(*op.receiver) != nullptr;
    if (op.results.size() != 1 || registered) return;
    if (makes_stateful_module(program_, op) && !has_nothing_to_register(program_, op))
      modules_[op.results.front()] = &op;
    if (moved) modules_[op.results.front()] = module(*op.receiver);
  }

  void drop_locals() {
    std::erase_if(holders_, [](const auto& one) { return one.first.root != "self"; });
    std::erase_if(modules_, [](const auto& one) { return one.first.root != "self"; });
  }

  const ir::Program& program_;
  const ir::Class& type_;
  bool registers_ = false;
  std::map<ir::Place, std::shared_ptr<Holder>> holders_;
  std::map<ir::Place, const ir::Op*> modules_;
  std::vector<std::shared_ptr<Holder>> all_;
  std::set<std::string> containers_;  // places that hold an nn.ModuleList or the like on some path
};

// Modules in a plain container are no submodules: no optimizer gets their parameters through
// parameters(), to(), train(), eval() and state_dict() pass them by.
void declarations(const ir::Program& program, Findings& found) {
  const bool cpp = program.language == ir::Language::Cpp;
  for (const ir::Class& type : program.classes) {
    if (!is_module_class(program, type)) continue;
    const Class seen(program, type);
    if (seen.registers()) continue;
    for (const auto& holder : seen.holders()) {
      if (holder->made == nullptr || holder->kept_at == nullptr || holder->registered) continue;
      if (holder->hides_one || seen.is_registered_elsewhere(holder->member)) continue;
      const ir::Op* where =
          cpp && holder->filled_at != nullptr ? holder->filled_at : holder->kept_at;
      found
          .at(where->at, fmt::format("{} holds a {} that the module does not register",
                                     holder->member, holder->made->callee))
          .note(holder->made->at, "it is made here")
          .help(cpp ? "push it into a torch::nn::ModuleList that is registered, or register each "
                      "element"
                    : "use nn.ModuleList or nn.ModuleDict");
    }
  }
}

}  // namespace

extern const Rule modules_in_plain_list;
constinit const Rule modules_in_plain_list{Level::Error, nullptr, kinds(Kind::Construct), false,
                                           declarations};

}  // namespace forerun::rules
