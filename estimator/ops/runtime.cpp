#include "estimator/ops/runtime.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "estimator/ops/strides.h"

namespace forerun::ops {

std::int64_t Tensor::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t dim : shape)
    product *= dim;  // overflow is caught when the graph is built
  return product;
}

std::int64_t Tensor::bytes() const { return elements() * size_bytes(dtype); }

Tensor Runtime::empty(Shape shape, DType dtype, Category category, std::string_view where,
                      std::string_view what) {
  Tensor made{nullptr, std::move(shape), dtype, nullptr, false};
  if (recomputed_enough()) return made;  // PyTorch has left the part by an exception
  const int allocation = tape.allocate(made.bytes(), category, where, what);
  made.storage = std::make_shared<Storage>(tape, allocation);
  return made;
}

Tensor Runtime::output(Shape shape, DType dtype, std::string_view role) {
  const bool forward = tape.phase() == Phase::Forward || recomputing;
  const Category category = forward ? Category::Activations : Category::Temporaries;
  return empty(std::move(shape), dtype, category, where, role);
}

void Runtime::launch(std::string_view kernel, std::initializer_list<const Tensor*> touched) {
  double bytes = 0;
  for (const Tensor* tensor : touched) bytes += static_cast<double>(tensor->bytes());
  tape.launch(kernel, DType::Float32, 0, bytes);
}

void Runtime::launch_matmul(std::string_view kernel, std::int64_t m, std::int64_t n, std::int64_t k,
                            DType dtype) {
  const double rows = static_cast<double>(m);
  const double columns = static_cast<double>(n);
  const double depth = static_cast<double>(k);
  const double bytes =
      static_cast<double>(size_bytes(dtype)) * (rows * depth + depth * columns + rows * columns);
  tape.launch(kernel, dtype, 2 * rows * columns * depth, bytes);
}

Node* Runtime::record(std::string_view op, Tensor& output,
                      std::initializer_list<const Tensor*> inputs,
                      std::function<Tensors(Runtime&, Node&, Tensors&)> backward) {
  return link(op, {&output}, inputs, std::move(backward));
}

Node* Runtime::record_strided(std::string_view op, const std::vector<Tensor*>& outputs,
                              const std::vector<const Tensor*>& inputs,
                              std::function<Tensors(Runtime&, Node&, Tensors&)> backward) {
  Node* node = link(op, outputs, inputs, std::move(backward));
  if (node == nullptr) return nullptr;
  node->expected.reserve(inputs.size());
  for (const Tensor* input : inputs) node->expected.push_back({input->shape, input->dtype});
  return node;
}

Node* Runtime::link(std::string_view op, const std::vector<Tensor*>& outputs,
                    const std::vector<const Tensor*>& inputs,
                    std::function<Tensors(Runtime&, Node&, Tensors&)> backward) {
  for (Tensor* output : outputs) {
    output->grad_fn = nullptr;
    output->is_leaf = false;
    output->output_nr = 0;
  }
  if (!grad_enabled) return nullptr;
  bool wanted = false;
  for (const Tensor* input : inputs) wanted = wanted || input->requires_grad();
  if (!wanted) return nullptr;
  auto node = std::make_shared<Node>();
  node->op = op;
  node->where = where;
  node->order = next_order_++;
  node->next.reserve(inputs.size());
  for (const Tensor* input : inputs) node->next.push_back({input->grad_fn, input->output_nr});
  node->backward = std::move(backward);
  node->frame = recomputing ? nullptr : frame;
  node->outputs = static_cast<int>(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i]->grad_fn = node;
    outputs[i]->output_nr = static_cast<int>(i);
  }
  return node.get();
}

void Runtime::keep(Node& node, const Tensor& tensor) {
  const bool thrown_away = node.frame != nullptr && tensor;
  node.kept.push_back(
      {tensor ? tensor.storage->version() : 0, thrown_away ? node.frame->kept++ : -1});
  node.saved.push_back(thrown_away ? Tensor{} : tensor.detach());
  if (recomputing && tensor) frame->remade.push_back(tensor.detach());
}

Tensor Runtime::cast(const Tensor& tensor, DType dtype) {
  if (!is_floating(tensor.dtype) || tensor.dtype == dtype) return tensor;
  const bool remember = tensor.is_leaf && tensor.dtype == DType::Float32 && dtype == autocast;
  if (!remember) return to_copy(*this, tensor, dtype, "input cast");
  const auto cached = cast_cache_.find(tensor.storage.get());
  if (cached != cast_cache_.end()) return cached->second;
  Tensor made =
      to_copy(*this, tensor, dtype, tensor.shape.size() == 1 ? "bias cast" : "weight cast");
  cast_cache_.emplace(tensor.storage.get(), made);
  return made;
}

// The casts go in the order they were made: in that of the cache, addresses would decide.
void Runtime::leave_autocast() {
  autocast.reset();
  Tensors casts;
  for (auto& [of, cast] : cast_cache_) casts.push_back(std::move(cast));
  cast_cache_.clear();
  const auto order = [](const Tensor& cast) { return cast.grad_fn ? cast.grad_fn->order : 0; };
  std::sort(casts.begin(), casts.end(),
            [&](const Tensor& a, const Tensor& b) { return order(a) < order(b); });
  for (Tensor& cast : casts) cast = {};
}

Tensor to_copy(Runtime& run, const Tensor& tensor, DType dtype, std::string_view role) {
  Tensor copy = run.output(tensor.shape, dtype, fmt::format("{} to {}", role, name(dtype)));
  copy.strides = preserved_strides(tensor);
  run.launch("_to_copy", {&tensor, &copy});
  const DType from = tensor.dtype;
  const bool of_parameter = tensor.is_leaf;
  run.record("to", copy, {&tensor},
             [from, of_parameter, role = std::string(role)](Runtime& r, Node& node,
                                                            Tensors& grad) -> Tensors {
               const Category category = of_parameter ? Category::Gradients : Category::Temporaries;
               const std::string what = of_parameter ? role.substr(0, role.find(' ')) : "input";
               Tensor back = r.empty(grad[0].shape, from, category, node.where, what + " gradient");
               back.strides = preserved_strides(grad[0]);
               r.launch("_to_copy", {&grad[0], &back});
               return {back};
             });
  return copy;
}

}  // namespace forerun::ops
