#include "estimator/autograd/engine.h"

#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

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
                                 parameter.name + " gradient");
  run.launch("clone", {&incoming, &parameter.gradient});
}

// InputBuffer::add
void add_to(Runtime& run, Tensor& buffer, Tensor gradient) {
  if (!buffer) {
    buffer = std::move(gradient);
    return;
  }
  run.launch("add", {&buffer, &gradient, &buffer});
  if (buffer.sole_owner()) return;
  Tensor sum = run.output_like(buffer, "gradient sum");
  buffer = std::move(sum);
}

// SavedVariable::unpack's version check.
Status check_saved(const Node& node) {
  for (std::size_t i = 0; i < node.saved.size(); ++i) {
    if (!node.saved[i]) continue;
    const ops::Storage& storage = *node.saved[i].storage;
    if (storage.version() == node.versions[i]) continue;
    Error problem = error(
        fmt::format("{} works in place on what {} keeps for its backward; PyTorch stops there",
                    storage.overwritten_by(), node.where),
        "inplace: false");
    problem.where.file =
        storage.overwritten_by();  // a layer; whoever has the spec turns it into a place
    return problem;
  }
  return Done{};
}

// The saved tensors of a node under a checkpoint; the first to ask has the whole part made again.
void unpack(Runtime& run, Node& node) {
  if (node.frame == nullptr) return;
  const std::string where = run.where;
  for (std::size_t i = 0; i < node.slots.size(); ++i) {
    if (node.slots[i] < 0) continue;
    if (!node.frame->recomputed) node.frame->recompute(node.frame);
    node.saved[i] = std::move(node.frame->remade[static_cast<std::size_t>(node.slots[i])]);
  }
  run.where = where;
}

struct Later {
  bool operator()(const std::shared_ptr<Node>& a, const std::shared_ptr<Node>& b) const {
    return a->order < b->order;
  }
};

std::unordered_map<Node*, int> count_dependencies(Node* root) {
  std::unordered_map<Node*, int> dependencies;
  std::vector<Node*> pending{root};
  dependencies[root] = 0;
  while (!pending.empty()) {
    Node* node = pending.back();
    pending.pop_back();
    for (const auto& next : node->next) {
      if (next != nullptr && dependencies[next.get()]++ == 0) pending.push_back(next.get());
    }
  }
  return dependencies;
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
  std::unordered_map<Node*, int> waiting = count_dependencies(root.grad_fn.get());
  std::unordered_map<Node*, Tensor> buffers;
  std::priority_queue<std::shared_ptr<Node>, std::vector<std::shared_ptr<Node>>, Later> ready;
  buffers[root.grad_fn.get()] = seed;
  ready.push(root.grad_fn);
  while (!ready.empty()) {
    const std::shared_ptr<Node> node = ready.top();
    ready.pop();
    run.where = node->where;
    unpack(run, *node);
    run.tape.enter(ops::Phase::Backward, fmt::format("backward of {}: {}", node->where, node->op),
                   node->where);
    if (const Status intact = check_saved(*node); !intact) return intact;
    Tensors gradients;
    {
      Tensors incoming(1);
      incoming[0] = std::move(buffers[node.get()]);
      buffers.erase(node.get());
      gradients = node->backward(run, *node, incoming);
    }
    node->saved.clear();
    node->frame.reset();
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const auto& next = node->next[i];
      if (next == nullptr) continue;
      add_to(run, buffers[next.get()], std::move(gradients[i]));
      if (--waiting[next.get()] == 0) ready.push(next);
    }
  }
  run.thread = Runtime::Thread::Main;
  run.where.clear();
  return Done{};
}

}  // namespace forerun::autograd
