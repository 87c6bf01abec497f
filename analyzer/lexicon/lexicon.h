// What API names mean, in one table for both languages (torch.def): rules and front ends hold no spellings.
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/ir/ir.h"

namespace forerun::lexicon {

struct Meaning {
  ir::Kind kind;
  std::string_view callee;  // canonical name; the kind's own text when the API is the kind's only spelling
  ir::Role result = ir::Role::Unknown;
};

// A method by the role of its receiver and its name. With Role::Unknown only names that mean the same on every
// receiver match (`backward`, `zero_grad`, `item`); `step`, `update`, `train`, `to` need a role.
std::optional<Meaning> method(ir::Role receiver, std::string_view name);

// A free function by its qualified name, Python ("torch.nn.functional.mse_loss") or C++ ("torch::mse_loss",
// "at::mse_loss", "std::printf"). A function of a torch namespace that the table does not list is Kind::Tensor.
std::optional<Meaning> function(std::string_view qualified);

// A class by its qualified name; result is the role of its instances ("torch.optim.AdamW" -> Optimizer).
std::optional<Meaning> construct(std::string_view qualified);

// A guard class or context manager: "torch.no_grad", "torch::NoGradGuard", "c10::InferenceMode", "torch.autocast".
std::optional<ir::Scope::Form> guard(std::string_view qualified);

// The role a name suggests when nothing else is known ("optimizer_g" -> Optimizer); Unknown when it suggests none.
ir::Role role_from_name(std::string_view variable);

// The role that calling this method suggests for its receiver ("zero_grad" -> Unknown: modules have it too;
// "param_groups" -> Optimizer; "unscale_" -> Scaler); Unknown when it suggests none.
ir::Role role_from_use(std::string_view member);

}  // namespace forerun::lexicon
