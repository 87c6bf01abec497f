#include "rules/kept_graph.h"

#include <algorithm>
#include <set>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

using Words = std::set<std::string>;
const Words kOperators = {"add", "iadd", "sub",     "isub",     "mul", "imul",
                          "div", "idiv", "truediv", "itruediv", "neg", "select"};
const Words kFunctions = {"add",     "sub",     "mul", "div", "sum",  "mean",  "stack",
                          "maximum", "minimum", "max", "min", "lerp", "where", "neg"};
const Words kJoining = {"cat",    "concat", "concatenate",  "hstack",
                        "vstack", "dstack", "column_stack", "row_stack"};
const Words kInPlace = {"add_", "sub_", "lerp_", "addcmul_", "addcdiv_", "iadd", "isub"};

bool accumulates(const ir::Op& op) {
  if (op.kind == Kind::Arith) return kOperators.contains(op.callee);
  if (op.kind == Kind::Tensor)
    return kFunctions.contains(op.callee) || kJoining.contains(op.callee);
  return false;
}

// What the operation combines, lists of tensors taken apart.
std::vector<Values> operands(const Analysis& of, const flow::Node& node) {
  std::vector<Values> all;
  if (node.op->receiver) all.push_back(node.receiver);
  for (const Values& argument : node.arguments) {
    Values whole;
    for (const ValueId one : argument) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr || maker->kind != Kind::Pack) {
        flow::add(whole, one);
        continue;
      }
      for (const Values& element : of.node(of.value(one).def).arguments) all.push_back(element);
    }
    if (!whole.empty()) all.push_back(std::move(whole));
  }
  return all;
}

// xs + [x] makes a longer list, not a sum.
bool lengthens(const Analysis& of, const flow::Node& node) {
  if (node.is(Kind::Tensor)) return kJoining.contains(node.op->callee);
  return std::any_of(node.arguments.begin(), node.arguments.end(), [&](const Values& argument) {
    return std::any_of(argument.begin(), argument.end(), [&](ValueId one) {
      const ir::Op* maker = of.maker(one);
      return maker != nullptr && maker->kind == Kind::Pack;
    });
  });
}

// Is the value among what these were accumulated from, one round or more before?
bool carries(const Analysis& of, const Values& values, ValueId wanted) {
  const Values from = of.sources(values, [&](const flow::Value& one) {
    const auto id = static_cast<ValueId>(&one - of.graph().values.data());
    const ir::Op* maker = of.maker(id);
    return maker != nullptr && (accumulates(*maker) || maker->kind == Kind::Move ||
                                maker->kind == Kind::Index || maker->kind == Kind::Pack ||
                                maker->kind == Kind::Unpack || maker->kind == Kind::RequiresGrad);
  });
  return flow::contains(from, wanted);
}

std::optional<Accumulation> in_place(const Analysis& of, NodeId id, LoopId loop) {
  const flow::Node& node = of.node(id);
  if (!kInPlace.contains(node.op->callee) || node.receiver.empty()) return std::nullopt;
  for (const ValueId target : node.receiver) {
    if (of.graph().loop_in(of.value(target).loop, loop))
      return std::nullopt;  // made anew each round
  }
  Accumulation found{id, loop, {}, node.receiver, false};
  for (const Values& argument : node.arguments) flow::add(found.stored, argument);
  return found;
}

std::optional<Accumulation> rebinding(const Analysis& of, NodeId id, LoopId loop) {
  const flow::Node& node = of.node(id);
  if (!accumulates(*node.op) || node.results.size() != 1 || node.results.front().size() != 1)
    return std::nullopt;
  const ValueId result = node.results.front().front();
  Accumulation found{id, loop, {}, {result}, lengthens(of, node)};
  bool carried = false;
  for (const Values& operand : operands(of, node)) {
    if (carries(of, operand, result)) {
      carried = true;
      continue;
    }
    // What is itself computed from the running value is a recurrence (x = x + f(x)), not a sum.
    if (!flow::contains(of.sources(operand), result)) flow::add(found.stored, operand);
  }
  if (!carried) return std::nullopt;
  return found;
}

bool contains_step(const Analysis& of, LoopId loop) {
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    if (of.graph().in(loop, step)) return true;
  }
  return false;
}

// Every module behind the stored values was put in evaluation mode: nobody will run this backward.
bool evaluates(const Analysis& of, const Values& stored) {
  bool any = false;
  for (const ValueId one : of.sources(stored)) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr || maker->kind != Kind::Forward) continue;
    if (!of.in_evaluation(of.value(one).def)) return false;
    any = true;
  }
  return any;
}

// What grows is seen whole here, and all that happens to it is that numbers are read from it.
bool only_read(const Analysis& of, const Values& collector) {
  const Values everything = of.descendants(collector);
  if (of.escapes(everything)) return false;
  for (const NodeId use : of.uses(everything)) {
    const flow::Node& node = of.node(use);
    if (node.is(Kind::HostRead) || node.is(Kind::Print)) return true;
  }
  return false;
}

bool escapes_by_call(const Analysis& of, const Values& collector) {
  for (const ValueId one : collector) {
    const flow::Value::Form form = of.value(one).form;
    if (form == flow::Value::Form::Name || form == flow::Value::Form::Member) return true;
  }
  const Values everything = of.descendants(collector);
  for (const NodeId use : of.uses(everything)) {
    if (of.may_touch(use, everything)) return true;
  }
  return false;
}

bool takes_attached(const Analysis& of, NodeId id) {
  const flow::Node& node = of.node(id);
  return of.attached(node.receiver) ||
         std::any_of(node.arguments.begin(), node.arguments.end(),
                     [&](const Values& argument) { return of.attached(argument); });
}

}  // namespace

std::vector<Accumulation> accumulations(const Analysis& of) {
  std::vector<Accumulation> all;
  for (const NodeId id : of.all({Kind::Arith, Kind::Tensor, Kind::TensorInPlace})) {
    const LoopId loop = of.innermost_loop(id);
    if (loop == flow::kNone || of.node(id).grad == flow::Grad::Off || !takes_attached(of, id))
      continue;
    auto one =
        of.node(id).is(Kind::TensorInPlace) ? in_place(of, id, loop) : rebinding(of, id, loop);
    if (one && of.attached(one->stored)) all.push_back(std::move(*one));
  }
  return all;
}

namespace {

bool runs_backward(const Analysis& of, LoopId loop) {
  const auto backwards = of.all(Kind::Backward);
  return std::any_of(backwards.begin(), backwards.end(),
                     [&](NodeId backward) { return of.graph().in(loop, backward); });
}

// Every round makes a graph of its own: a model is run in it, or a loss is run backward. A loop
// over parts of one result (rows, chunks, time steps of a recurrence by hand) keeps one graph.
bool makes_graphs(const Analysis& of, const Values& attached, LoopId loop) {
  if (runs_backward(of, loop)) return true;
  bool any = false, over_modules = true;
  for (const ValueId one : of.sources(attached)) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr || (maker->kind != Kind::Forward && maker->kind != Kind::Loss)) continue;
    const NodeId made = of.value(one).def;
    if (!of.graph().in(loop, made)) continue;
    any = true;
    if (maker->kind != Kind::Forward) continue;
    const Values& modules = of.node(made).receiver;
    over_modules &= !modules.empty() && std::all_of(modules.begin(), modules.end(), [&](ValueId m) {
      return of.value(m).form == flow::Value::Form::Element &&
             of.value(m).def == of.loop(loop).head;
    });
  }
  return any && !over_modules;
}

// The layers of a network, run one after another: the graph is one, and its reader needs it.
bool is_inside_a_network(const Analysis& of, LoopId loop) {
  const auto& frames = of.graph().frames;
  const ir::Function* function = frames[static_cast<std::size_t>(of.loop(loop).frame)].function;
  return function != nullptr && function->name.ends_with(".forward");
}

// Somebody runs backward here by a call that is not seen: accelerator.backward(loss).
bool frees_elsewhere(const Analysis& of, LoopId loop) {
  const auto calls = of.all(Kind::Call);
  return std::any_of(calls.begin(), calls.end(), [&](NodeId call) {
    return of.node(call).op->callee == "backward" && of.graph().in(loop, call);
  });
}

// The only backward comes after the loop: until then the graphs are needed.
bool waits_for_backward(const Analysis& of, const Values& attached, LoopId loop) {
  bool any = false;
  for (const ValueId one : attached) {
    for (const NodeId backward : of.backwards_of(one)) {
      any = true;
      if (of.graph().in(loop, backward)) return false;
    }
  }
  return any;
}

bool is_of_another_library(const ir::Program& program) {
  if (program.language != ir::Language::Python || imports(program, "torch")) return false;
  return imports(program, "mxnet") || imports(program, "tensorflow") || imports(program, "jax") ||
         imports(program, "paddle");
}

}  // namespace

std::optional<Level> kept(const Analysis& of, const Values& stored, const Values& collector, NodeId,
                          LoopId loop) {
  Values attached;
  for (const ValueId one : stored) {
    if (of.history(one) == flow::History::Graph) flow::add(attached, one);
  }
  if (attached.empty() || is_of_another_library(*of.graph().program)) return std::nullopt;
  if (is_inside_a_network(of, loop) || !makes_graphs(of, attached, loop) ||
      waits_for_backward(of, attached, loop))
    return std::nullopt;
  for (const ValueId one : collector) {
    if (of.backwarded(one)) return std::nullopt;
  }
  if (std::all_of(attached.begin(), attached.end(), [&](ValueId one) { return of.freed(one); })) {
    if (!runs_backward(of, loop))
      return std::nullopt;  // whoever ran it needed the graphs till then
    return Level::Warning;
  }
  if (std::any_of(attached.begin(), attached.end(),
                  [&](ValueId one) { return of.backwarded(one); }))
    return Level::Error;  // retained
  if (evaluates(of, attached) || only_read(of, collector)) return Level::Error;
  if (contains_step(of, loop) && !escapes_by_call(of, collector))
    return frees_elsewhere(of, loop) ? Level::Warning : Level::Error;
  return std::nullopt;
}

std::string described(const ir::Operand& operand) {
  const auto* place = std::get_if<ir::Place>(&operand);
  if (place == nullptr || place->is_temporary()) return "a tensor";
  return "'" + ir::to_string(*place) + "'";
}

}  // namespace forerun::rules
