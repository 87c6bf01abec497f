// What API names mean, in one table for both languages (torch.def): rules and front ends hold no
// spellings.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/ir/ir.h"

namespace forerun::lexicon {

struct Meaning {
  ir::Kind kind = ir::Kind::Call;
  // Canonical name; empty when it is the kind's own text. A view of the table or of the name that
  // was asked for, which must outlive it: asking with a temporary string does not compile.
  std::string_view callee;
  ir::Role result = ir::Role::Unknown;
  // False where the result never hangs on the graph of the operands: argmax, eq, zeros, randn_like
  // …
  bool differentiable = true;
};

// Writes a meaning into an operation: kind, callee, result role, and the detail "differentiable" ->
// "false" where it is. Both front ends use it, so that flow, which knows no API, sees the same
// facts from both.
void apply(const Meaning& meaning, ir::Op& op);

// One spelling for what the two languages and the API's versions write differently: defaults of
// backward dropped, flags named, train(false) is eval, requires_grad_() is requires_grad (true).
void normalise(ir::Op& op);

// A method by the role of its receiver and its name. With Role::Unknown only names that mean the
// same on every receiver match (`backward`, `zero_grad`, `item`, `to`); `step`, `update`, `train`
// need a role. With Role::Tensor every name has a meaning: what the table does not list is
// Kind::Tensor, or Kind::TensorInPlace when it ends in "_".
std::optional<Meaning> method(ir::Role receiver, std::string_view name);
template <std::same_as<std::string> Temporary>
std::optional<Meaning> method(ir::Role receiver, Temporary&& name) = delete;

// A free function by its qualified name, Python ("torch.nn.functional.mse_loss") or C++
// ("torch::mse_loss", "at::mse_loss", "std::printf"). A function of a tensor namespace that the
// table does not list is Kind::Tensor (TensorInPlace when it ends in "_"); one of another torch
// namespace (torch.cuda, torch.distributed …) is nothing.
std::optional<Meaning> function(std::string_view qualified);
template <std::same_as<std::string> Temporary>
std::optional<Meaning> function(Temporary&& qualified) = delete;

// A class by its qualified name; callee is its canonical name ("torch::nn::LinearImpl" ->
// "Linear"), result the role of its instances ("torch.optim.AdamW" -> Optimizer).
std::optional<Meaning> construct(std::string_view qualified);
template <std::same_as<std::string> Temporary>
std::optional<Meaning> construct(Temporary&& qualified) = delete;

// A guard class or context manager: "torch.no_grad", "torch::NoGradGuard", "c10::InferenceMode",
// "torch.autocast".
std::optional<ir::Scope::Form> guard(std::string_view qualified);

// A named value as the IR prints it: "torch::kHalf" and "torch.half" -> float16, "at::kCUDA" ->
// "cuda" in quotes.
std::optional<std::string_view> constant(std::string_view qualified);

// "::at::native::x" -> "torch.native.x": the one spelling that the other functions look up. Dots,
// no leading "::", the namespaces at and c10 are torch, detail namespaces are left out.
std::string canonical(std::string_view qualified);

// The role a name suggests when nothing else is known ("optimizer_g" -> Optimizer); Unknown when it
// suggests none. Role::Other is a veto: names that look like one thing and are another ("trainer",
// "noise_scheduler").
ir::Role role_from_name(std::string_view variable);

// The same for a value that is called: "criterion", "adversarial_loss" -> LossModule, "head_a" ->
// Module.
ir::Role role_from_called_name(std::string_view variable);

// The role the name of a class of unknown origin suggests: "FocalLoss" -> LossModule,
// "WarmupCosineLR" -> Scheduler.
ir::Role role_from_class_name(std::string_view name);

// The role that calling this method suggests for its receiver ("zero_grad" -> Unknown: modules have
// it too; "param_groups" -> Optimizer; "unscale_" -> Scaler); Unknown when it suggests none.
ir::Role role_from_use(std::string_view member);

}  // namespace forerun::lexicon
