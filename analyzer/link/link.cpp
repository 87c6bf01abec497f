#include "analyzer/link/link.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/ir/walk.h"
#include "analyzer/link/globals.h"

namespace forerun::link {
namespace {

constexpr int kMostHops = 4;  // from one package's __init__.py to the next

// A function or class where it is defined.
struct Definition {
  std::shared_ptr<const ir::Program> program;
  std::string name;
  const ir::Function* function = nullptr;
  const ir::Class* type = nullptr;
};
using Key = std::pair<std::string, std::string>;  // its file and name

Key key(const Definition& of) { return {of.program->path, of.name}; }

bool is_protocol(ir::Kind kind) { return kind <= ir::Kind::RequiresGrad; }

bool names_a_function(const ir::Op& op) {
  return (op.kind == ir::Kind::Call || op.kind == ir::Kind::Construct) && !op.receiver &&
         !op.callee.empty();
}

// Copies what nested functions share.
void separate(ir::Block& block) {
  for (ir::Node& node : block) {
    if (auto* define = std::get_if<ir::Define>(&node.value))
      define->function = std::make_shared<ir::Function>(*define->function);
    ir::each_block(node, [](ir::Block& inner) { separate(inner); });
  }
}

class Linker {
 public:
  Linker(ir::Program& program, const Modules& modules, const Programs& programs)
      : program_(program), modules_(modules), programs_(programs), globals_(program) {}

  void run() {
    for (ir::Function& function : program_.functions) follow(function.body, nullptr);
    // follow() adds more.
    for (std::size_t i = 0; i < made_.size(); ++i) follow(made_[i].body, from_[i]);
    if (!trains(program_.functions) && !trains(made_)) return take_back();
    program_.linked.functions.assign(std::make_move_iterator(made_.begin()),
                                     std::make_move_iterator(made_.end()));
  }

 private:
  // `of`: the program the block is from; null: the one that is linked.
  void follow(ir::Block& block, const std::shared_ptr<const ir::Program>& of) {
    for (ir::Node& node : block) {
      if (auto* op = std::get_if<ir::Op>(&node.value)) {
        const auto called = definition(*op, of);
        if (called && is_worth(*called)) {
          if (const auto name = add(*called)) {
            if (of == nullptr) followed_.emplace_back(op, op->callee);
            op->callee = *name;
          }
        }
      }
      ir::each_block(node, [&](ir::Block& inner) { follow(inner, of); });
    }
  }

  // A library that is used and never trained tells its caller nothing, and there is much of it.
  template <class Functions>
  static bool trains(const Functions& functions) {
    bool found = false;
    for (const ir::Function& function : functions) {
      ir::each_op(function.body, [&](const ir::Op& op) {
        found |= op.kind == ir::Kind::Backward || op.kind == ir::Kind::Step ||
                 op.kind == ir::Kind::ScalerStep;
      });
    }
    return found;
  }
  void take_back() {
    for (const auto& [op, callee] : followed_) op->callee = callee;
    program_.linked = {};
  }

  // What a call means beyond the program itself.
  std::optional<Definition> definition(const ir::Op& op,
                                       const std::shared_ptr<const ir::Program>& of) {
    if (!names_a_function(op)) return std::nullopt;
    const auto spelling = op.details.find("spelling");
    if (spelling != op.details.end())
      return imported(of ? of->path : program_.path, spelling->second, 0);
    return of ? defined(of, op.callee) : std::nullopt;
  }
  std::optional<Definition> imported(const std::string& importer, const std::string& spelling,
                                     int hops) {
    const Symbol symbol = modules_.find(importer, spelling);
    const bool plain = !symbol.name.empty() && symbol.name.find('.') == std::string::npos;
    if (symbol.file.empty() || !plain || symbol.file == program_.path) return std::nullopt;
    const auto program = programs_(symbol.file);
    if (program == nullptr) return std::nullopt;
    if (auto own = defined(program, symbol.name)) return own;
    return hops < kMostHops ? handed_on(*program, symbol.name, hops + 1) : std::nullopt;
  }
  static std::optional<Definition> defined(const std::shared_ptr<const ir::Program>& program,
                                           const std::string& name) {
    for (const ir::Class& type : program->classes)
      if (type.name == name) return Definition{program, name, nullptr, &type};
    for (const ir::Function& function : program->functions)
      if (function.owner.empty() && function.name == name)
        return Definition{program, name, &function, nullptr};
    return std::nullopt;
  }
  // from .engine import train, in an __init__.py
  std::optional<Definition> handed_on(const ir::Program& program, const std::string& name,
                                      int hops) {
    if (const auto bound = program.bindings.find(name); bound != program.bindings.end())
      return imported(program.path, bound->second, hops);
    for (const std::string& module : program.star_imports) {
      const std::string spelling = module + (module.ends_with('.') ? "" : ".") + name;
      if (auto found = imported(program.path, spelling, hops)) return found;
    }
    return std::nullopt;
  }

  std::vector<const ir::Function*> functions_of(const Definition& of) const {
    if (of.function != nullptr) return {of.function};
    std::vector<const ir::Function*> methods;
    for (const ir::Function& function : of.program->functions)
      if (function.owner == of.name) methods.push_back(&function);
    return methods;
  }

  // Whether it, or what it calls, takes part in the training protocol.
  bool is_worth(const Definition& of) {
    const auto [known, is_new] = worth_.try_emplace(key(of), false);
    if (!is_new) return known->second;  // one that calls itself is worth what else it does
    bool worth = false;
    for (const ir::Function* function : functions_of(of)) {
      ir::each_op(function->body, [&](const ir::Op& op) {
        if (worth || is_protocol(op.kind)) {
          worth = true;
        } else if (const auto called = definition(op, of.program)) {
          worth = is_worth(*called);
        }
      });
    }
    return worth_[key(of)] = worth;
  }

  // Its unique name, once it is among the linked.
  std::optional<std::string> add(const Definition& of) {
    const auto [known, is_new] = added_.try_emplace(key(of), std::nullopt);
    if (!is_new) return known->second;
    const auto functions = functions_of(of);
    if (made_.size() + functions.size() > kMostLinked) return std::nullopt;
    for (const ir::Function* function : functions)
      if (globals_.are_read_by(*function)) return std::nullopt;
    if (!files_.contains(of.program->path))
      program_.linked.comments.insert(program_.linked.comments.end(), of.program->comments.begin(),
                                      of.program->comments.end());
    const std::string name = unique_name(of);
    added_[key(of)] = name;
    if (of.type != nullptr) add_class(of, name);
    for (const ir::Function* function : functions) add_function(*function, of, name);
    return name;
  }
  // "@0.train" of the first file that something is taken from: no program's own name, and without
  // words that rules may read in a callee, as a path has them.
  std::string unique_name(const Definition& of) {
    const auto number = files_.try_emplace(of.program->path, files_.size()).first->second;
    return "@" + std::to_string(number) + "." + of.name;
  }
  void add_class(const Definition& of, const std::string& name) {
    ir::Class type = *of.type;
    type.name = name;
    for (std::string& base : type.bases) {
      const auto parent = defined(of.program, base);
      if (!parent || parent->type == nullptr) continue;
      if (const auto linked = add(*parent)) base = *linked;
    }
    program_.linked.classes.push_back(std::move(type));
  }
  void add_function(const ir::Function& function, const Definition& of, const std::string& name) {
    ir::Function copy = function;
    separate(copy.body);
    copy.name = of.type == nullptr ? name : name + copy.name.substr(of.name.size());
    if (of.type != nullptr) copy.owner = name;
    made_.push_back(std::move(copy));
    from_.push_back(of.program);
  }

  ir::Program& program_;
  const Modules& modules_;
  const Programs& programs_;
  const Globals globals_;
  std::vector<std::pair<ir::Op*, std::string>> followed_;  // the program's own, as it was written
  std::deque<ir::Function> made_;
  std::deque<std::shared_ptr<const ir::Program>> from_;  // of each made_
  std::map<Key, bool> worth_;
  std::map<Key, std::optional<std::string>> added_;
  std::map<std::string, std::size_t> files_;  // that something is taken from
};

}  // namespace

void link(ir::Program& program, const Modules& modules, const Programs& programs) {
  if (!modules.empty()) Linker(program, modules, programs).run();
}

bool is_worth_reading(std::string_view file, std::string_view text) {
  static constexpr std::array<std::string_view, 7> kWords = {
      "backward", "step(", "zero_grad", ".eval(", ".train(", "requires_grad", "clip_grad"};
  return file.ends_with("__init__.py") ||
         std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
           return text.find(word) != std::string_view::npos;
         });
}

}  // namespace forerun::link
