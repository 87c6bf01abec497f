#include "estimator/autograd/engine.h"

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "estimator/ops/aggregate.h"
#include "estimator/ops/strides.h"
#include "estimator/ops/view.h"

namespace forerun::autograd {
namespace {

using ops::Node;
using ops::Runtime;
using ops::Tensor;
using ops::Tensors;

// AccumulateGrad
void accumulate(Runtime& run, Parameter& parameter, Tensors& arrived) {
  Tensor& incoming = arrived[0];
  if (parameter.gradient) {
    run.launch("add_", {&parameter.gradient, &incoming, &parameter.gradient});
    return;
  }
  if (incoming.sole_owner()) {
    parameter.gradient = std::move(incoming);
    return;
  }
  parameter.gradient = run.empty(incoming.shape, incoming.dtype, ops::Category::Gradients,
                                 parameter.name, "gradient");
  run.launch("clone", {&incoming, &parameter.gradient});
}

// InputBuffer::add
void add_to(Runtime& run, Tensor& buffer, Tensor gradient) {
  if (!gradient) return;
  if (!buffer) {
    buffer = std::move(gradient);
    return;
  }
  run.launch("add", {&buffer, &gradient, &buffer});
  if (buffer.sole_owner() && !buffer.is_view && ops::is_dense(buffer)) return;
  Tensor sum = run.output_like(buffer, "gradient sum");
  sum.strides = ops::iterator_strides(sum.shape, {&buffer, &gradient});
  buffer = std::move(sum);
}

// SavedVariable::unpack's version check.
Status check_saved(const Node& node) {
  for (std::size_t i = 0; i < node.saved.size(); ++i) {
    if (!node.saved[i]) continue;
    const ops::Storage& storage = *node.saved[i].storage;
    if (storage.version() == node.kept[i].version) continue;
    Error problem = error(
        fmt::format("{} works in place on what {} keeps for its backward; PyTorch stops there",
                    storage.overwritten_by(), node.where),
        "inplace: false");
    problem.where.file = std::string(
        storage.overwritten_by());  // a layer; whoever has the spec turns it into a place
    return problem;
  }
  return Done{};
}

// The saved tensors of a node under a checkpoint; the first to ask has the whole part made again.
void unpack(Runtime& run, Node& node) {
  if (node.frame == nullptr) return;
  const std::string_view where = run.where;
  for (std::size_t i = 0; i < node.kept.size(); ++i) {
    const int slot = node.kept[i].slot;
    if (slot < 0) continue;
    if (!node.frame->recomputed) node.frame->recompute(node.frame);
    node.saved[i] = std::move(node.frame->remade[static_cast<std::size_t>(slot)]);
  }
  run.where = where;
}

// validate_outputs: a gradient is summed to its input's shape and cast to its dtype.
void validate(Runtime& run, const Node& node, Tensors& gradients) {
  for (std::size_t i = 0; i < gradients.size() && i < node.expected.size(); ++i) {
    if (!gradients[i] || !node.needs(i)) continue;
    const Node::Expected& wanted = node.expected[i];
    gradients[i] = ops::sum_to(run, gradients[i], wanted.shape);
    gradients[i] = ops::to_dtype(run, gradients[i], wanted.dtype);
  }
}

struct Later {
  bool operator()(const Node* a, const Node* b) const { return a->order < b->order; }
};

void count_dependencies(Node* root) {
  std::vector<Node*> pending{root};
  while (!pending.empty()) {
    const Node* node = pending.back();
    pending.pop_back();
    for (const Node::Edge& next : node->next) {
      if (next.node != nullptr && next.node->waiting++ == 0) pending.push_back(next.node.get());
    }
  }
}

void arrive(Runtime& run, const Node::Edge& at, Tensor gradient) {
  Tensors& incoming = at.node->incoming;
  incoming.resize(static_cast<std::size_t>(at.node->outputs));
  add_to(run, incoming[static_cast<std::size_t>(at.output)], std::move(gradient));
}

}  // namespace

void require_grad(Parameter& parameter) {
  auto node = std::make_shared<Node>();
  node->op = "accumulate";
  node->where = parameter.name;
  node->order = Node::kAccumulate;
  node->backward = [&parameter](Runtime& run, Node&, Tensors& arrived) -> Tensors {
    accumulate(run, parameter, arrived);
    return {};
  };
  parameter.value.grad_fn = std::move(node);
  parameter.value.is_leaf = true;
}

Status backward(Runtime& run, const Tensor& root, const Tensor& seed) {
  if (!root.grad_fn) return Done{};
  run.thread = Runtime::Thread::Backward;
  // The root holds every node until this returns.
  count_dependencies(root.grad_fn.get());
  std::priority_queue<Node*, std::vector<Node*>, Later> ready;
  arrive(run, {root.grad_fn, root.output_nr}, seed);
  ready.push(root.grad_fn.get());
  while (!ready.empty()) {
    Node* node = ready.top();
    ready.pop();
    run.where = node->where;
    unpack(run, *node);
    run.tape.enter(ops::Phase::Backward, "backward", node->where, node->op);
    if (const Status intact = check_saved(*node); !intact) return intact;
    Tensors gradients;
    {
      Tensors incoming = std::move(node->incoming);
      const bool any = std::any_of(incoming.begin(), incoming.end(),
                                   [](const Tensor& one) { return static_cast<bool>(one); });
      // Nobody had a gradient for it: its inputs get none either.
      if (any) gradients = node->backward(run, *node, incoming);
      gradients.resize(node->next.size());
      if (node->frame != nullptr && !node->expected.empty()) node->saved.clear();
      validate(run, *node, gradients);
    }
    node->saved.clear();
    node->frame.reset();
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!node->needs(i)) continue;
      const Node::Edge& next = node->next[i];
      arrive(run, next, std::move(gradients[i]));
      if (--next.node->waiting == 0) ready.push(next.node.get());
    }
  }
  run.thread = Runtime::Thread::Main;
  run.where = {};
  return Done{};
}

}  // namespace forerun::autograd
