// Expands one entry point into a Graph by running it over abstract states. Internal to
// analyzer/flow.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/flow/graph.h"
#include "analyzer/flow/state.h"

namespace forerun::flow {

// Functions and classes of a program by name, made once for all its entry points.
class Names {
 public:
  explicit Names(const ir::Program& program);

  const ir::Class* type(std::string_view name) const;
  // A method of the class or of the nearest base class that the program defines.
  const ir::Function* method(const ir::Class* type, std::string_view name) const;
  // The method of this name if exactly one class of the program has one.
  const ir::Function* only_method(std::string_view name) const;
  // The free function of this name whose parameter count fits best.
  const ir::Function* function(std::string_view name, std::size_t arguments) const;
  bool is_module(const ir::Class* type) const;
  bool derives(const ir::Class* type, std::string_view base_suffix) const;

 private:
  void enter(const std::vector<ir::Class>& classes, const std::vector<ir::Function>& functions);

  // Views of the program's own names.
  std::unordered_map<std::string_view, const ir::Class*> classes_;
  std::unordered_map<std::string_view, std::vector<const ir::Function*>> functions_;
  std::unordered_map<std::string_view, std::vector<const ir::Function*>> methods_;  // by last name
};

inline bool is_truth(std::string_view literal) { return literal == "true" || literal == "false"; }

// "Net.forward" -> "forward".
std::string_view last_part(std::string_view name);

// How a method that the front end gave a meaning is spelled in a class of the program. Views of the
// operation.
struct MethodNames {
  std::array<std::string_view, 3> names;
  std::size_t count = 0;
  auto begin() const { return names.begin(); }
  auto end() const { return names.begin() + static_cast<std::ptrdiff_t>(count); }
};
MethodNames method_names(const ir::Op& op);

class Builder {
 public:
  // `expanded` collects every function whose operations ended up in some graph. `tables` outlive
  // the builder and its copies.
  Builder(const ir::Program& program, const Names& names, Tables& tables,
          std::set<const ir::Function*>& expanded);
  // What comes before an entry point, in this order, once; then the entry point. A copy made in
  // between goes on from there.
  void module_level(const ir::Function* root);  // nothing when it is `root` itself
  void constructor_of(const ir::Function& root);
  Graph run(const ir::Function& root);

 private:
  // Something of the program in one of its expansions: a frame's or a node's.
  struct Occurrence {
    int of;
    const void* what;
    int form = 0;
    bool operator==(const Occurrence&) const = default;
  };
  struct OccurrenceHash {
    std::size_t operator()(const Occurrence& one) const;
  };
  using Numbers = std::unordered_map<Occurrence, int, OccurrenceHash>;
  struct Pending {
    NodeId node;
    int taken;
    bool skips_loop;
  };
  // Where control is: the state, and the nodes whose edges lead to the next one.
  struct Run {
    State state;
    std::vector<Pending> from;
  };
  struct LoopContext {
    LoopId loop;
    Run breaks, continues;
  };
  struct FrameContext {
    FrameId frame;
    Run returns;
    std::vector<std::vector<Values>> returned;  // a return statement each
    Values yielded;
    bool yields = false;
    std::vector<LoopContext> loops;
  };
  struct Callee {
    const ir::Function* function = nullptr;
    Values self;
    FrameId lexical = kNone;
  };

  void end_of_prelude();

  // control.cpp
  Run dead() const;
  void merge(Run& into, const Run& other);
  NodeId enter(const void* what, Node::Form form, const Location& at, Run& run);
  void connect(NodeId node, const std::vector<Pending>& from);
  void block(const ir::Block& block, Run& run);
  void visit(const ir::Loop& loop, Run& run);
  void visit(const ir::Branch& branch, Run& run);
  void visit(const ir::Scope& scope, Run& run);
  void visit(const ir::Try& attempt, Run& run);
  void visit(const ir::Jump& jump, Run& run);
  void visit(const ir::Define& define, Run& run);
  // Runs `body` from the loop's head until nothing new arrives there; leaves `run` after the loop.
  void repeat(LoopId loop, const ir::Loop* source, Run& run,
              const std::function<void(NodeId, Run&)>& start,
              const std::function<void(Run&)>& body);
  void bind_targets(NodeId head, const ir::Loop& loop, Run& run);
  Grad grad(const Run& run) const;
  std::optional<bool> settled(const Values& condition, int depth = 0) const;

  // places.cpp
  int name(const std::string& text) { return texts_.number(text); }
  Values read(const ir::Operand& operand, Run& run);
  Values read(const ir::Place& place, Run& run);
  Values read_name(const std::string& root, const ir::Place& place, Run& run);
  Values member(ValueId base, int step, const ir::Place& place, Run& run);
  Values elements(const Values& containers, Run& run);
  void write(const ir::Place& place, const Values& values, Run& run, bool augmented = false);
  void write_member(const Values& bases, const std::string& step, const Values& values, Run& run,
                    bool strong);
  ValueId fresh(NodeId node, int index, ir::Role role);
  ValueId named(FrameId frame, int name);
  ValueId named(FrameId frame, const std::string& text, ir::Role role);
  ValueId member_on_entry(ValueId base, int step);
  ValueId function_value(const ir::Function& function, FrameId frame);
  ir::Role role_of(const ir::Place& place) const;
  bool is_module(const Values& values) const;

  // operations.cpp
  void visit(const ir::Op& op, Run& run);
  void results(const ir::Op& op, NodeId node, const std::vector<Values>& values, Run& run);
  void fresh_results(const ir::Op& op, NodeId node, Run& run);
  void pack(const ir::Op& op, NodeId node, Run& run);
  void unpack(const ir::Op& op, NodeId node, Run& run);
  void index(const ir::Op& op, NodeId node, Run& run);
  void store(const ir::Op& op, NodeId node, Run& run);
  void append(const ir::Op& op, NodeId node, Run& run);

  // calls.cpp
  bool expand_operation(const ir::Op& op, NodeId node,
                        Run& run);  // true when it was a call and is dealt with
  void call(const ir::Op& op, NodeId node, Run& run);
  void construct(const ir::Class& type, const ir::Op& op, NodeId node, Run& run);
  void forward(const ir::Op& op, NodeId node, Run& run);
  void step_with_closure(const ir::Op& op, NodeId node, Run& run);
  void unknown_call(const ir::Op& op, NodeId node, Run& run);
  void callbacks(NodeId node, Run& run);
  std::optional<Callee> resolve(const ir::Op& op, NodeId node, Run& run);
  std::optional<Callee> method_of(const Values& receivers, std::string_view method, bool guess);
  bool may_expand(const ir::Function& function) const;
  // The returned values, one entry a position.
  std::vector<Values> expand(const Callee& callee, const ir::Op* op, NodeId node, Run& run);
  void bind(const Callee& callee, const ir::Op* op, FrameId frame, NodeId node, Run& run);
  std::vector<Values> returned(const FrameContext& context, const ir::Op* op, NodeId node,
                               Run& run);
  FrameId frame_for(NodeId call, const Callee& callee);

  FrameContext& frame() { return contexts_.back(); }
  FrameId frame_id() const { return contexts_.back().frame; }
  Node& node(NodeId id) { return graph_.nodes[static_cast<std::size_t>(id)]; }
  Value& value(ValueId id) { return graph_.values[static_cast<std::size_t>(id)]; }
  const Value& value(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)]; }
  const ir::Program& program_;
  const Names& names_;
  std::set<const ir::Function*>& expanded_;
  Graph graph_;
  SetTable& sets_;
  NameTable& texts_;
  Run before_;   // where the entry point starts
  Values self_;  // its object
  std::vector<FrameContext> contexts_;
  std::vector<Run*> raised_;  // of the enclosing try statements
  std::vector<LoopId> loop_stack_;
  std::vector<int> scope_stack_;
  std::vector<Grad> grad_stack_;
  bool prelude_ = false;
  bool expanding_ = true;
  long visits_ = 0;

  // What has a number already. The second group is of nodes and frames that are entered again, by
  // another round of a loop; the prelude's never are.
  std::unordered_map<std::uint64_t, ValueId> name_ids_;    // of a frame and a name
  std::unordered_map<std::uint64_t, ValueId> member_ids_;  // of a value and a step
  Numbers function_ids_;
  Numbers node_ids_, frame_ids_, loop_ids_, scope_ids_;
  std::unordered_map<std::uint64_t, ValueId> result_ids_;  // of a node and a position
};

}  // namespace forerun::flow
