#include "analyzer/flow/analysis.h"

#include <algorithm>
#include <set>

#include "analyzer/flow/conditions.h"
#include "analyzer/flow/facts.h"
#include "analyzer/flow/names.h"

namespace forerun::flow {

using ir::Kind;

bool carries_gradient(const ir::Op& op) {
  switch (op.kind) {
    case Kind::Detach:
    case Kind::Query:
    case Kind::GradRead:
    case Kind::StateDict:
    case Kind::Load:
    case Kind::Format:
    case Kind::Clock: return false;
    case Kind::HostRead: return op.callee == "cpu";
    case Kind::AutogradGrad: return literal_argument(op, "create_graph", 99) == "true";
    default: return is_differentiable(op);
  }
}

std::string literal_argument(const ir::Op& op, const std::string& name, std::size_t position) {
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const ir::Argument& argument = op.arguments[i];
    if (argument.name != name && !(argument.name.empty() && i == position)) continue;
    const auto* literal = std::get_if<ir::Literal>(&argument.value);
    return literal == nullptr ? "" : literal->text;
  }
  return "";
}

Analysis::Analysis(Graph graph) : graph_(std::move(graph)) {
  const std::size_t count = graph_.values.size();
  members_.resize(count);
  made_from_.resize(count);
  uses_.resize(count);
  for (ValueId id = 0; id < static_cast<ValueId>(count); ++id) {
    if (value(id).base != kNone) add(members_[static_cast<std::size_t>(value(id).base)], id);
    for (const ValueId input : value(id).inputs)
      add(made_from_[static_cast<std::size_t>(input)], id);
    for (const ValueId inside : value(id).contents)
      add(made_from_[static_cast<std::size_t>(inside)], id);
  }
  for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
    Values read = node(id).receiver;
    for (const Values& argument : node(id).arguments) add(read, argument);
    for (const ValueId one : read) uses_[static_cast<std::size_t>(one)].push_back(id);
  }
  by_kind_.resize(ir::kKinds);
  for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
    const Node& one = node(id);
    if (one.op != nullptr && !one.prelude && !one.expanded)
      by_kind_[static_cast<std::size_t>(one.op->kind)].push_back(id);
  }
  Facts facts(*this);
  history_ = std::move(facts.history);
  device_ = std::move(facts.device);
  for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
    if (!(node(id).is(Kind::Backward) || node(id).is(Kind::AutogradGrad)) || node(id).expanded)
      continue;
    Values start = node(id).receiver;
    for (const Values& argument : node(id).arguments) add(start, argument);
    const Values graph_values = sources(start, [this](const Value& one) {
      const Node* made = one.form == Value::Form::Result ? &node(one.def) : nullptr;
      return made == nullptr || made->op == nullptr ||
             (carries_gradient(*made->op) && made->grad != Grad::Off);
    });
    backward_.emplace_back(id, graph_values);
  }
  conditions_ = std::make_unique<Conditions>(graph_);
}

Analysis::~Analysis() = default;

// --- nodes
// ------------------------------------------------------------------------------------------

std::vector<NodeId> Analysis::where(const std::function<bool(const Node&)>& test) const {
  std::vector<NodeId> found;
  for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
    if (!node(id).prelude && !node(id).expanded && test(node(id))) found.push_back(id);
  }
  return found;
}

std::vector<NodeId> Analysis::all(std::initializer_list<Kind> kinds) const {
  std::vector<NodeId> found;
  for (const Kind kind : kinds) found.insert(found.end(), all(kind).begin(), all(kind).end());
  if (kinds.size() > 1) std::sort(found.begin(), found.end());
  return found;
}

// --- loops
// ------------------------------------------------------------------------------------------

std::vector<LoopId> Analysis::loops_around(NodeId id) const {
  std::vector<LoopId> around;
  for (LoopId at = node(id).loop; at != kNone; at = loop(at).parent) {
    if (!loop(at).closure) around.push_back(at);
  }
  return around;
}

LoopId Analysis::innermost_loop(NodeId id) const {
  const std::vector<LoopId> around = loops_around(id);
  return around.empty() ? kNone : around.front();
}

LoopId Analysis::step_loop(NodeId id) const {
  const std::vector<NodeId> protocol = all({Kind::Backward, Kind::Step, Kind::ScalerStep});
  for (const LoopId around : loops_around(id)) {
    for (const NodeId event : protocol) {
      if (innermost_loop(event) == around) return around;
    }
  }
  return kNone;
}

NodeId Analysis::seen_from(LoopId id, NodeId at) const {
  const FrameId home = loop(id).frame;
  for (NodeId seen = at; seen != kNone;) {
    const FrameId frame = node(seen).frame;
    if (frame == home) return seen;
    seen = graph_.frames[static_cast<std::size_t>(frame)].call;
  }
  return at;
}

bool Analysis::only_leaves(NodeId branch) const {
  const ir::Branch* source = node(branch).branch;
  if (source == nullptr)
    return node(branch).form == Node::Form::Branch;  // a while's: leaves the loop
  for (const ir::Block* side : {&source->then_body, &source->else_body}) {
    if (side->empty()) continue;
    const auto* jump = std::get_if<ir::Jump>(&side->back().value);
    if (jump != nullptr && jump->form != ir::Jump::Form::Yield) return true;
  }
  return false;
}

// --- scopes

std::vector<int> Analysis::scopes_around(NodeId id) const {
  std::vector<int> around;
  for (int at = node(id).scope; at != kNone;
       at = graph_.scopes[static_cast<std::size_t>(at)].parent)
    around.push_back(at);
  return around;
}

int Analysis::scope_around(NodeId id, const std::function<bool(const ir::Scope&)>& test) const {
  for (const int at : scopes_around(id)) {
    const ir::Scope* source = graph_.scopes[static_cast<std::size_t>(at)].source;
    if (source != nullptr && test(*source)) return at;
  }
  return kNone;
}

// --- values
// -----------------------------------------------------------------------------------------

History Analysis::history(const Values& values) const {
  History most = History::None;
  for (const ValueId one : values) most = std::max(most, history(one));
  return most;
}

Device Analysis::device(const Values& values) const {
  Device most = Device::Host;
  for (const ValueId one : values) most = std::max(most, device_[static_cast<std::size_t>(one)]);
  return most;
}

const ir::Op* Analysis::maker(ValueId id) const {
  const Value& one = value(id);
  return one.form == Value::Form::Result && one.def != kNone ? node(one.def).op : nullptr;
}

Values Analysis::sources(const Values& values,
                         const std::function<bool(const Value&)>& through) const {
  Values reached = values;
  std::vector<ValueId> open(values.begin(), values.end());
  while (!open.empty()) {
    const Value& one = value(open.back());
    open.pop_back();
    if (through && !through(one)) continue;
    for (const Values* next : {&one.inputs, &one.contents}) {
      for (const ValueId id : *next) {
        if (add(reached, id)) open.push_back(id);
      }
    }
  }
  return reached;
}

Values Analysis::descendants(const Values& values) const {
  Values reached = values;
  std::vector<ValueId> open(values.begin(), values.end());
  while (!open.empty()) {
    const ValueId from = open.back();
    open.pop_back();
    for (const ValueId made : made_from_[static_cast<std::size_t>(from)]) {
      const ir::Op* op = maker(made);
      if (op != nullptr && !carries_gradient(*op)) continue;
      if (add(reached, made)) open.push_back(made);
    }
  }
  return reached;
}

std::vector<NodeId> Analysis::uses(const Values& values) const {
  std::set<NodeId> found;
  for (const ValueId one : values) {
    const std::vector<NodeId>& of_one = uses_[static_cast<std::size_t>(one)];
    found.insert(of_one.begin(), of_one.end());
  }
  return {found.begin(), found.end()};
}

// --- backward
// ---------------------------------------------------------------------------------------

std::vector<NodeId> Analysis::backwards_of(ValueId id) const {
  std::vector<NodeId> found;
  for (const auto& [backward, values] : backward_) {
    if (contains(values, id)) found.push_back(backward);
  }
  return found;
}

bool Analysis::retains_graph(NodeId backward) const {
  const ir::Op& op = *node(backward).op;
  return literal_argument(op, "retain_graph", 99) == "true" ||
         literal_argument(op, "create_graph", 99) == "true";
}

const Values& Analysis::graph_of(NodeId backward) const {
  static const Values nothing;
  for (const auto& [id, values] : backward_) {
    if (id == backward) return values;
  }
  return nothing;
}

Analysis::Parameters Analysis::gradients_of(NodeId backward) const {
  Parameters found;
  found.known = true;
  for (const ValueId one : graph_of(backward)) {
    const ir::Op* op = maker(one);
    if (op == nullptr) continue;
    const Node& made = node(value(one).def);
    if (op->kind == Kind::Forward) add(found.owners, made.receiver);
    if (op->kind == Kind::Call && !made.expanded && !is_harmless(op->callee)) found.known = false;
  }
  found.known &= !found.owners.empty();
  return found;
}

bool Analysis::freed(ValueId id) const {
  std::set<ValueId> visiting;
  std::function<bool(ValueId)> is_freed = [&](ValueId at) {
    if (history(at) != History::Graph) return true;
    const std::vector<NodeId> backwards = backwards_of(at);
    if (!backwards.empty()) {
      return std::any_of(backwards.begin(), backwards.end(),
                         [&](NodeId one) { return !retains_graph(one); });
    }
    if (!visiting.insert(at).second) return true;
    const ir::Op* op = maker(at);
    const bool combines = op != nullptr && op->kind != Kind::Forward && op->kind != Kind::Call;
    if (!combines || (value(at).inputs.empty() && value(at).contents.empty())) return false;
    auto all_freed = [&](const Values& values) {
      return std::all_of(values.begin(), values.end(), is_freed);
    };
    const bool any_attached = attached(value(at).inputs) || attached(value(at).contents);
    return any_attached && all_freed(value(at).inputs) && all_freed(value(at).contents);
  };
  return is_freed(id);
}

std::unique_ptr<Analysis> analyse(const ir::Program& program, const ir::Function& root) {
  return std::make_unique<Analysis>(build(program, root));
}

std::vector<std::unique_ptr<Analysis>> analyse(const ir::Program& program) {
  std::vector<std::unique_ptr<Analysis>> found;
  for (Graph& graph : build(program)) found.push_back(std::make_unique<Analysis>(std::move(graph)));
  return found;
}

void analyse(const ir::Program& program, const Reach& reach, const Wanted& wanted,
             const std::function<void(const Analysis&)>& visit) {
  build(program, reach, wanted, [&](Graph graph) { visit(Analysis(std::move(graph))); });
}

}  // namespace forerun::flow
