#include "analyzer/flow/reach.h"

#include <algorithm>

#include "analyzer/flow/builder.h"
#include "analyzer/ir/walk.h"

namespace forerun::flow {

class ReachBuilder {
 public:
  ReachBuilder(Reach& reach, const ir::Program& program, const Mark& mark)
      : reach_(reach), names_(program), mark_(mark) {
    for (const ir::Function& function : program.functions) enter(function);
    const std::size_t own_nested = reach_.nested_.size();
    for (const ir::Function& function : program.linked.functions) enter(function);
    reach_.nested_.resize(own_nested);  // linked functions are no entry points, nor what is in them
    for (std::size_t i = 0; i < reach_.entries_.size(); ++i) {
      const std::string& name = reach_.entries_[i].function->name;
      by_name_[name].entries.push_back(static_cast<std::uint32_t>(i));
      if (last_part(name) != name)
        by_name_[last_part(name)].entries.push_back(static_cast<std::uint32_t>(i));
      if (name == "<module>") reach_.module_ = static_cast<std::uint32_t>(i);
    }
    for (Reach::Entry& entry : reach_.entries_) {
      into_ = &entry;
      read(entry.function->body);
      if (const ir::Class* type = names_.type(entry.function->owner))
        constructor(*type, entry.before);
    }
    for (const auto& [name, callees] : by_name_) reach_.mentioned_[name] = callees.mentioned;
  }

 private:
  struct Callees {
    std::vector<std::uint32_t> entries;
    bool mentioned = false;
  };

  void enter(const ir::Function& function) {
    reach_.number_.emplace(&function, static_cast<std::uint32_t>(reach_.entries_.size()));
    reach_.entries_.emplace_back().function = &function;
    nested(function.body);
  }
  void nested(const ir::Block& block) {
    for (const ir::Node& node : block) {
      if (const auto* define = std::get_if<ir::Define>(&node.value)) {
        reach_.nested_.push_back(define->function.get());
        enter(*define->function);
      } else {
        ir::each_block(node, [this](const ir::Block& inner) { nested(inner); });
      }
    }
  }

  // A function's own operations; those of functions defined in it belong to it as well.
  void read(const ir::Block& block) {
    for (const ir::Node& node : block) {
      std::visit([this](const auto& value) { see(value); }, node.value);
      ir::each_block(node, [this](const ir::Block& inner) { read(inner); });
    }
  }
  void see(const ir::Op& op) {
    into_->own.kinds |= std::uint64_t{1} << static_cast<int>(op.kind);
    if (mark_) into_->own.marks |= mark_(op);
    call(op.callee.empty() ? ir::name(op.kind) : op.callee, true);
    if (op.kind == ir::Kind::Forward || op.kind == ir::Kind::Loss || op.callee.empty()) {
      for (const char* name : {"forward", "__call__", "operator()"}) mention(name);
    }
    for (const std::string_view name : method_names(op)) call(name, false);
    if (const ir::Class* type = names_.type(op.callee)) constructor(*type, into_->calls);
    if (op.receiver) operand(*op.receiver);
    for (const ir::Argument& argument : op.arguments) operand(argument.value);
  }
  void see(const ir::Jump& jump) {
    for (const ir::Operand& value : jump.values) operand(value);
  }
  template <class Statement>
  void see(const Statement&) {}

  void operand(const ir::Operand& value) {
    const auto* reference = std::get_if<ir::FunctionReference>(&value);
    if (reference == nullptr) return;
    const auto found = by_name_.find(last_part(reference->name));
    if (found == by_name_.end()) return;
    found->second.mentioned = true;
    into_->names.insert(into_->names.end(), found->second.entries.begin(),
                        found->second.entries.end());
  }
  void call(std::string_view name, bool mentions) {
    for (const std::string_view part : {name, last_part(name)}) {
      const auto found = by_name_.find(part);
      if (found == by_name_.end()) continue;
      if (part == name) found->second.mentioned |= mentions;
      into_->calls.insert(into_->calls.end(), found->second.entries.begin(),
                          found->second.entries.end());
    }
  }
  void mention(std::string_view name) {
    if (const auto found = by_name_.find(name); found != by_name_.end())
      found->second.mentioned = true;
  }
  void constructor(const ir::Class& type, std::vector<std::uint32_t>& into) {
    const ir::Function* made = names_.method(&type, "__init__");
    if (made != nullptr) into.push_back(reach_.number_.at(made));
  }

  Reach& reach_;
  const Names names_;
  const Mark& mark_;
  std::unordered_map<std::string_view, Callees> by_name_;
  Reach::Entry* into_ = nullptr;
};

Reach::Reach(const ir::Program& program, const Mark& mark) {
  ReachBuilder(*this, program, mark);
  for (Entry& entry : entries_) {
    for (std::vector<std::uint32_t>* each : {&entry.calls, &entry.names}) {
      std::sort(each->begin(), each->end());
      each->erase(std::unique(each->begin(), each->end()), each->end());
    }
    entry.all = entry.own;
  }
  close();
}

// Sets only grow; chains of calls are short, so that few rounds do.
void Reach::close() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Entry& entry : entries_) {
      Reached all = entry.all;
      std::uint64_t given = entry.given;
      auto take = [&](const Entry& other) {
        all.kinds |= other.all.kinds;
        all.marks |= other.all.marks;
      };
      for (const std::uint32_t callee : entry.calls) {
        take(entries_[callee]);
        given |= entries_[callee].given;
      }
      for (const std::uint32_t named : entry.names) {
        take(entries_[named]);
        given |= entries_[named].all.kinds;
      }
      // What ran before leaves functions in names and members, which may be called here.
      for (const std::uint32_t constructor : entry.before) {
        all.kinds |= entries_[constructor].given;
        all.marks |= entries_[constructor].all.marks;
      }
      if (module_ != kNoModule) {
        const Entry& module = entries_[module_];
        all.marks |= module.own.marks;
        for (const std::uint32_t named : module.names) take(entries_[named]);
      }
      changed |=
          all.kinds != entry.all.kinds || all.marks != entry.all.marks || given != entry.given;
      entry.all = all;
      entry.given = given;
    }
  }
}

Reached Reach::of(const ir::Function& function) const {
  const auto found = number_.find(&function);
  return found == number_.end() ? Reached{~std::uint64_t{0}, ~std::uint64_t{0}}
                                : entries_[found->second].all;
}

bool Reach::mentions(std::string_view last_name) const {
  const auto found = mentioned_.find(last_name);
  return found != mentioned_.end() && found->second;
}

}  // namespace forerun::flow
