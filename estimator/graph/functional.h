// PyTorch's functions over names, for models (docs/models.md). Operands are taken by value and let
// go when the function returns: a temporary that is handed on, or a name that is moved in, is freed
// there, as Python frees what only the call's arguments held.
//
// C++ does not say which argument of a call is made first: one call that computes an argument, at
// most, and a statement of its own for every other.
#pragma once

#include <cstdint>
#include <vector>

#include "estimator/graph/name.h"
#include "estimator/ops/operator.h"

namespace forerun::graph::fn {

// --- views and copies ---
Name reshape(Name x, Shape to);  // view, reshape; -1: what is left
Name contiguous(Name x);
Name clone(Name x);
Name transpose(Name x, std::int64_t a, std::int64_t b);
Name permute(Name x, Shape order);
Name expand(Name x, Shape to);
Name unsqueeze(Name x, std::int64_t dim);
Name squeeze(Name x, std::int64_t dim);
Name slice(Name x, std::int64_t dim, std::int64_t begin, std::int64_t end, std::int64_t step = 1);
Name select(Name x, std::int64_t dim);
std::vector<Name> split(Name x, Shape sizes, std::int64_t dim);
std::vector<Name> chunk(Name x, std::int64_t pieces, std::int64_t dim);
std::vector<Name> unbind(Name x, std::int64_t dim);
Name to(Name x, DType dtype);
Name detach(Name x);
Name cat(std::vector<Name> parts, std::int64_t dim);
Name stack(std::vector<Name> parts, std::int64_t dim);

// --- pointwise ---
Name add(Name a, Name b);
Name sub(Name a, Name b);
Name mul(Name a, Name b);
Name div(Name a, Name b);
// With a Python number: its value matters to no byte.
Name add_number(Name a);
Name sub_number(Name a);
Name mul_number(Name a);
Name div_number(Name a);
Name number_minus(Name a);
Name number_over(Name a);
Name pow(Name a, double exponent);
Name neg(Name a);
Name exp(Name a);
Name cos(Name a);
Name sin(Name a);
Name sqrt(Name a);
Name rsqrt(Name a);
Name tanh(Name a);
Name sigmoid(Name a);
Name silu(Name a);
Name gelu(Name a);
Name relu(Name a);
Name compare(Name a, Name b);  // a < b and the like: bool
Name compare_number(Name a);
Name logical_and(Name a, Name b);
Name masked_fill(Name x, Name mask);
Name where(Name condition, Name a, Name b);  // None: a Python number
Name dropout(Name x, double p);

// --- reductions ---
Name sum(Name x, Shape dims, bool keepdim = false);
Name mean(Name x, Shape dims, bool keepdim = false);
Name cumsum(Name x, std::int64_t dim);
Name softmax(Name x, std::int64_t dim, std::optional<DType> dtype = {});
Name log_softmax(Name x, std::int64_t dim, std::optional<DType> dtype = {});

// --- products ---
Name linear(Name x, Name weight, Name bias = {});
Name matmul(Name a, Name b);
Name bmm(Name a, Name b);
Name addmm(Name bias, Name a, Name b);

// --- made from nothing ---
Name arange(Builder& b, std::int64_t count, DType dtype = DType::Int64);
Name zeros(Builder& b, Shape shape, DType dtype);  // ones, empty, full
// A 0-dim tensor of a Python number on the device, made for the time of an operator.
Name scalar(Builder& b, DType dtype);

// --- in place ---
// zero_, fill_, normal_, uniform_: x itself; nothing is allocated.
void fill(const Name& x);
void copy(const Name& into, const Name& from);

// --- layers' functions ---
Name embedding(Name indices, Name weight);
Name layer_norm(Name x, Name weight, Name bias);
Name cross_entropy(Name logits, Name target);  // logits [rows, classes]

}  // namespace forerun::graph::fn
