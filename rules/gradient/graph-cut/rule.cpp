#include <algorithm>
#include <deque>
#include <set>

#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// A new tensor made of numbers: torch.tensor() has no callee of its own.
bool rebuilds(const ir::Op& op) {
  static const std::set<std::string> names = {"as_tensor",   "from_numpy", "new_tensor",
                                              "FloatTensor", "Tensor",     "Variable"};
  if (op.kind == Kind::Tensor && op.callee.empty()) return true;
  return (op.kind == Kind::Tensor || op.kind == Kind::Call || op.kind == Kind::Construct) &&
         names.contains(op.callee);
}

// An operation whose result has no graph though what it was given has one, or that makes a tensor
// of what was cut before.
bool cuts(const Analysis& of, ValueId value) {
  const ir::Op* maker = of.maker(value);
  if (maker == nullptr) return false;
  const flow::Node& made = of.node(of.value(value).def);
  if (made.grad != flow::Grad::On) return false;
  if (rebuilds(*maker)) return maker->callee != "Variable" || !of.attached(reads_of(made));
  const bool tensor_work = maker->kind == Kind::Detach || maker->kind == Kind::HostRead ||
                           maker->kind == Kind::Tensor || maker->kind == Kind::Arith;
  return tensor_work && of.attached(reads_of(made)) && !flow::carries_gradient(*maker);
}

// log_alpha = torch.tensor(...); log_alpha.requires_grad = True
bool is_asked_later(const Analysis& of, ValueId value) {
  const auto& nodes = of.graph().nodes;
  return std::any_of(nodes.begin(), nodes.end(), [&](const flow::Node& node) {
    return node.is(Kind::RequiresGrad) && flow::contains(node.receiver, value) &&
           flow::literal_argument(*node.op, "requires_grad", 0) != "false";
  });
}

// A tensor that was made to learn: it asks for gradients, and no model's output
// is in it.
bool is_own_parameter(const Analysis& of, ValueId value) {
  const ir::Op* maker = of.maker(value);
  if (maker == nullptr) return false;
  const bool asks = maker->kind == Kind::RequiresGrad || of.history(value) == flow::History::Leaf ||
                    flow::literal_argument(*maker, "requires_grad", 99) == "true" ||
                    is_asked_later(of, value);
  if (!asks) return false;
  // Only its size came from the model.
  const Values behind = of.sources({value}, [&](const flow::Value& one) {
    if (one.form == flow::Value::Form::Member) return one.step != "shape";
    const ir::Op* made = one.form == flow::Value::Form::Result ? of.node(one.def).op : nullptr;
    return made == nullptr || made->kind != Kind::Query;
  });
  return std::none_of(behind.begin(), behind.end(), [&](ValueId one) {
    const ir::Op* made = of.maker(one);
    return made != nullptr && made->kind == Kind::Forward;
  });
}

// Where a gradient could still go: a module, a parameter, anything whose origin
// is not seen.
bool reaches_parameters(const Analysis& of, const Values& graph) {
  return std::any_of(graph.begin(), graph.end(), [&](ValueId one) {
    const flow::Value& value = of.value(one);
    const ir::Op* maker = of.maker(one);
    if (is_own_parameter(of, one)) return true;
    if (maker != nullptr) {
      if (maker->kind == Kind::Forward || maker->kind == Kind::Parameters) return true;
      if (maker->kind == Kind::Call && !of.node(value.def).expanded)
        return of.may_touch(value.def, reads_of(of.node(value.def)));
      if (maker->kind == Kind::Construct)
        return maker->callee != "Variable" && value.role != ir::Role::Number;
      return false;
    }
    const bool from_outside =
        value.form == flow::Value::Form::Name || value.form == flow::Value::Form::Member;
    return from_outside && value.role != ir::Role::Number && of.history(one) != flow::History::None;
  });
}

// What backward walks from the loss. The target of a loss is data: its origin,
// a parameter of the function as a rule, says nothing.
Values walked(const Analysis& of, const Values& loss) {
  Values reached = loss;
  std::vector<ValueId> open(loss.begin(), loss.end());
  while (!open.empty()) {
    const ValueId at = open.back();
    open.pop_back();
    const ir::Op* maker = of.maker(at);
    if (maker != nullptr) {
      const flow::Node& made = of.node(of.value(at).def);
      if (!flow::carries_gradient(*maker) || made.grad == flow::Grad::Off) continue;
      if (maker->kind == Kind::Loss && !made.arguments.empty()) {
        for (const Values& argument : made.arguments) {
          for (const ValueId one : argument) {
            const bool says = &argument == &made.arguments.front() || of.attached({one});
            if (says && flow::add(reached, one)) open.push_back(one);
          }
        }
        continue;
      }
    }
    for (const Values* next : {&of.value(at).inputs, &of.value(at).contents}) {
      for (const ValueId one : *next) {
        if (flow::add(reached, one)) open.push_back(one);
      }
    }
  }
  return reached;
}

// The first cut met on the way from the loss to a module's forward.
NodeId first_cut(const Analysis& of, const Values& loss) {
  std::set<ValueId> seen(loss.begin(), loss.end());
  std::deque<ValueId> open(loss.begin(), loss.end());
  while (!open.empty()) {
    const ValueId at = open.front();
    open.pop_front();
    if (cuts(of, at)) {
      for (const ValueId behind : of.sources({at})) {
        const ir::Op* maker = of.maker(behind);
        if (maker != nullptr && maker->kind == Kind::Forward) return of.value(at).def;
      }
    }
    for (const Values* next : {&of.value(at).inputs, &of.value(at).contents}) {
      for (const ValueId one : *next) {
        if (seen.insert(one).second) open.push_back(one);
      }
    }
  }
  return flow::kNone;
}

// backward() runs through a value that was rebuilt from numbers: no gradient
// reaches the model.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const NodeId backward : of.all(Kind::Backward)) {
    const Values& loss = of.node(backward).receiver;
    if (loss.empty() || reaches_parameters(of, walked(of, loss))) continue;
    const NodeId cut = first_cut(of, loss);
    if (cut == flow::kNone || !reported.insert(cut).second) continue;
    found
        .at(cut,
            "the loss is rebuilt here without its graph, and no gradient "
            "reaches the model")
        .note(backward, "backward() stops at the rebuilt value")
        .help("keep the tensor that the model's output was computed into");
  }
}

}  // namespace

extern const Rule graph_cut;
constinit const Rule graph_cut{Level::Error, check, kinds(Kind::Backward)};

}  // namespace forerun::rules
