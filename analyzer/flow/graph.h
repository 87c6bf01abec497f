// What one entry point of a program does: its operations and those of every known function it
// calls, as a graph of control flow, with the values each of them reads and makes.
//
// Calls to functions and methods of the same Program are expanded where they stand (recursion and
// size are bounded); a value is one result of one operation in one such expansion, so two calls of
// a helper have different values. Names, members, elements of containers, closures and arguments
// are followed, so a value found at a place is the object itself: aliases need no further question.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/flow/reach.h"
#include "analyzer/ir/ir.h"

namespace forerun::flow {

using NodeId = int;
using ValueId = int;
using LoopId = int;
using FrameId = int;
inline constexpr int kNone = -1;

using Values = std::vector<ValueId>;  // sorted, without doubles: what a place may hold
bool intersect(const Values& a, const Values& b);
bool contains(const Values& values, ValueId value);
bool add(Values& to, const Values& values);  // true when `to` grew
bool add(Values& to, ValueId value);

enum class Grad { On, Off, Unknown };  // whether operations record a graph

struct Edge {
  NodeId to = kNone;
  int taken = 0;            // of a Branch node: +1 its condition held, -1 it did not
  bool skips_loop = false;  // leaves a loop that has not run once
};

struct Node {
  enum class Form { Entry, Exit, Op, Head, Latch, Branch, Scope, Jump, Join };
  Form form = Form::Op;
  const ir::Op* op = nullptr;         // Op
  const ir::Loop* loop_ir = nullptr;  // Head, Latch
  const ir::Branch* branch = nullptr;
  const ir::Scope* scope_ir = nullptr;
  const ir::Jump* jump = nullptr;
  const ir::Operand* condition = nullptr;  // Branch: also a while's
  Location at;
  FrameId frame = 0;
  LoopId loop = kNone;  // the innermost loop it is in
  int scope = kNone;    // the innermost scope it is in
  Grad grad = Grad::On;
  bool prelude = false;   // module level or constructor run before the entry point; never reported
  bool expanded = false;  // a call whose function's operations follow in the graph
  Values receiver;        // of a Branch: the condition; of a Head: what is iterated
  std::vector<Values> arguments;  // of a Jump: its values; of a Scope: its arguments
  std::vector<Values> results;
  std::vector<Edge> next;

  bool is(ir::Kind kind) const { return op != nullptr && op->kind == kind; }
};

struct Value {
  enum class Form {
    Result,    // `index`-th result of node `def`
    Element,   // a loop target: `index`-th of what the loop at node `def` takes apart
    Name,      // what a parameter or a name from outside holds on entry
    Member,    // what member or element `step` of `base` holds on entry
    Function,  // a function, lambda or closure
  };
  Form form = Form::Result;
  NodeId def = kNone;
  int index = 0;
  ValueId base = kNone;
  std::string step;  // Name, Member
  ir::Role role = ir::Role::Unknown;
  LoopId loop = kNone;              // the innermost loop it is made in; Member: its base's
  const ir::Class* type = nullptr;  // of an instance of a class of the program
  const ir::Function* function = nullptr;
  FrameId frame = 0;  // Function: where it was defined; Name: whose name it is
  Values inputs;      // what it was computed from
  Values contents;  // what was ever put into it: elements of a container, what changed a tensor in
                    // place
  Values
      holds;  // what it may keep besides: members, what a constructor or an unknown call was given
};

struct Loop {
  const ir::Loop* source = nullptr;  // absent for a closure that an optimizer calls
  bool closure = false;
  LoopId parent = kNone;
  FrameId frame = 0;
  NodeId head = kNone, latch = kNone;
  Location at;
};

struct Scope {
  const ir::Scope* source = nullptr;
  int parent = kNone;
  NodeId node = kNone;
};

struct Frame {
  const ir::Function* function = nullptr;
  FrameId caller = kNone;
  NodeId call = kNone;      // in the caller
  FrameId lexical = kNone;  // the frame it was defined in
};

struct Graph {
  const ir::Program* program = nullptr;
  const ir::Function* root = nullptr;
  std::vector<Node> nodes;
  std::vector<Value> values;
  std::vector<Loop> loops;
  std::vector<Scope> scopes;
  std::vector<Frame> frames;
  Values returned;    // by the root
  bool whole = true;  // false when a bound cut the expansion short

  bool in(LoopId loop, NodeId node) const;          // loop or one inside it
  bool in_frame(FrameId frame, NodeId node) const;  // frame or one it called
  bool loop_in(LoopId inner, LoopId outer) const;   // equal or nested
};

// One graph for each entry point: module level, then every function that no other function of the
// program calls (and those the bounds kept from being expanded). `program` must outlive the graphs.
std::vector<Graph> build(const ir::Program& program);
// Only those of the functions that are wanted, one at a time.
using Wanted = std::function<bool(const Reached&)>;
void build(const ir::Program& program, const Reach& reach, const Wanted& wanted,
           const std::function<void(Graph)>& take);
// The graph of one function, whoever calls it.
Graph build(const ir::Program& program, const ir::Function& root);

}  // namespace forerun::flow
