#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::transformer_block {

struct Options {
  std::int64_t dim = 0, heads = 0, mlp = 0;
  bool causal = true, bias = true;
  std::string kind, norm, act;
  double dropout = 0;
};

// Names are let go where Python's locals are: a result when the next one replaces it, everything
// else at the end of the function.
struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(Options options) : with(std::move(options)) {
    n1 = add_norm("n1");
    qkv = add_linear("qkv", with.dim, 3 * with.dim);
    proj = add_linear("proj", with.dim, with.dim);
    n2 = add_norm("n2");
    up = add_linear("up", with.dim, with.mlp);
    down = add_linear("down", with.mlp, with.dim);
  }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor branch = attend(norm(*n1, input));
    branch = drop(std::move(branch));
    const at::Tensor x = input + branch;
    branch.reset();
    at::Tensor y = apply(*up, norm(*n2, x));
    y = activate(y);
    y = apply(*down, y);
    y = drop(std::move(y));
    return x + y;
  }

 private:
  using Holder = std::shared_ptr<torch::nn::Module>;

  Holder add_norm(const char* name) {
    auto made = std::make_shared<torch::nn::Module>(name);
    made->register_parameter("weight", at::ones({with.dim}));
    if (with.norm == "layer_norm") made->register_parameter("bias", at::zeros({with.dim}));
    return register_module(name, made);
  }
  torch::nn::Linear add_linear(const char* name, std::int64_t in, std::int64_t out) {
    return register_module(name,
                           torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(with.bias)));
  }

  at::Tensor norm(const torch::nn::Module& own, const at::Tensor& x) const {
    const auto parameters = own.named_parameters();
    const at::Tensor* bias = parameters.find("bias");
    return bias != nullptr ? at::layer_norm(x, {with.dim}, parameters["weight"], *bias)
                           : at::rms_norm(x, {with.dim}, parameters["weight"]);
  }
  static at::Tensor apply(const torch::nn::LinearImpl& own, const at::Tensor& x) {
    return at::linear(x, own.weight, own.bias);
  }
  at::Tensor drop(at::Tensor x) const {
    return with.dropout > 0 ? at::dropout(x, with.dropout, /*train=*/true) : x;
  }
  at::Tensor activate(const at::Tensor& x) const {
    return with.act == "gelu" ? at::gelu(x) : with.act == "silu" ? at::silu(x) : at::relu(x);
  }

  at::Tensor attend(const at::Tensor& x) {
    const auto batch = x.size(0), length = x.size(1);
    const auto parts = apply(*qkv, x).split(with.dim, 2);
    const auto heads = [&](const at::Tensor& t) {
      return t.view({batch, length, with.heads, with.dim / with.heads}).transpose(1, 2);
    };
    const at::Tensor q = heads(parts[0]), k = heads(parts[1]), v = heads(parts[2]);
    if (with.kind == "sdpa") {
      const at::Tensor y = at::scaled_dot_product_attention(q, k, v, {}, 0.0, with.causal);
      return apply(*proj, y.transpose(1, 2).reshape({batch, length, with.dim}));
    }
    at::Tensor a = at::matmul(q, k.transpose(-2, -1));
    a = a * std::pow(static_cast<double>(with.dim / with.heads), -0.5);
    if (with.causal) {
      at::Tensor mask = at::ones({length, length}, x.options().dtype(at::kBool));
      mask = mask.tril();
      mask = mask.logical_not();
      a = a.masked_fill(mask, -std::numeric_limits<double>::infinity());
    }
    at::Tensor p = at::softmax(a, -1);
    const at::Tensor y = at::matmul(p, v);
    p.reset();
    return apply(*proj, y.transpose(1, 2).reshape({batch, length, with.dim}));
  }

  const Options with;
  Holder n1, n2;
  torch::nn::Linear qkv{nullptr}, proj{nullptr}, up{nullptr}, down{nullptr};
};

inline Result<Options> read(const LayerSpec& layer) {
  Options made;
  for (const auto& [name, into] : {std::pair{"dim", &made.dim}, std::pair{"heads", &made.heads},
                                   std::pair{"mlp", &made.mlp}}) {
    const auto value = positive(layer, name);
    if (!value) return value.error();
    *into = *value;
  }
  for (const auto& [name, into] :
       {std::pair{"causal", &made.causal}, std::pair{"bias", &made.bias}}) {
    const auto value = flag(layer, name, true);
    if (!value) return value.error();
    *into = *value;
  }
  for (const auto& [name, fallback, into] :
       {std::tuple{"kind", "sdpa", &made.kind}, std::tuple{"norm", "layer_norm", &made.norm},
        std::tuple{"act", "gelu", &made.act}}) {
    const auto value = word(layer, name, fallback);
    if (!value) return value.error();
    *into = *value;
  }
  const auto dropout = number(layer, "dropout", 0);
  if (!dropout) return dropout.error();
  made.dropout = *dropout;
  return made;
}

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto options = read(layer);
  if (!options) return options.error();
  auto module = std::make_shared<BlockImpl>(*options);
  return run::with_state(module,
                         [](BlockImpl& m, const at::Tensor& input) { return m.forward(input); });
}

}  // namespace forerun::layers::transformer_block
