#include "analyzer/lexicon/lexicon.h"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace forerun::lexicon {
namespace {

using ir::Kind;
using ir::Role;

// Sets of receivers, as METHOD rows write them.
using Receivers = std::uint16_t;
constexpr Receivers U = 1 << static_cast<int>(Role::Unknown);
constexpr Receivers T = 1 << static_cast<int>(Role::Tensor);
constexpr Receivers M = 1 << static_cast<int>(Role::Module);
constexpr Receivers O = 1 << static_cast<int>(Role::Optimizer);
constexpr Receivers S = 1 << static_cast<int>(Role::Scheduler);
constexpr Receivers G = 1 << static_cast<int>(Role::Scaler);
constexpr Receivers L = 1 << static_cast<int>(Role::Loader);
constexpr Receivers N = 1 << static_cast<int>(Role::LossModule);
constexpr Receivers X = (1 << static_cast<int>(Role::Other)) | (1 << static_cast<int>(Role::Text));
constexpr Receivers C = 1 << static_cast<int>(Role::Container);

constexpr bool Graph = true;
constexpr bool Leaf = false;
constexpr Receivers Certain = T | U;
constexpr Receivers Shared = T;

struct MethodRow {
  Receivers receivers;
  std::string_view name;
  Meaning meaning;
};

constexpr auto method_rows = std::to_array<MethodRow>({
#define METHOD(receivers, name, kind, callee, result) \
  {receivers, name, {Kind::kind, callee, Role::result, true}},
#define TENSOR(name, grad, certainty) {certainty, name, {Kind::Tensor, name, Role::Tensor, grad}},
#include "analyzer/lexicon/torch.def"
});

struct NameRow {
  std::string_view name;
  Meaning meaning;
};

constexpr auto torch_rows = std::to_array<NameRow>({
#define TORCH(name, kind, callee, result, grad) {name, {Kind::kind, callee, Role::result, grad}},
#define TENSOR(name, grad, certainty) {name, {Kind::Tensor, name, Role::Tensor, grad}},
#include "analyzer/lexicon/torch.def"
});

constexpr auto function_rows = std::to_array<NameRow>({
#define FUNCTION(qualified, kind, callee, result) \
  {qualified, {Kind::kind, callee, Role::result, true}},
#include "analyzer/lexicon/torch.def"
});

struct ClassRow {
  std::string_view space;
  std::string_view name;
  Role result;
};

constexpr auto class_rows = std::to_array<ClassRow>({
#define CLASS(namespace_, name, result) {namespace_, name, Role::result},
#include "analyzer/lexicon/torch.def"
});

struct GuardRow {
  std::string_view name;
  ir::Scope::Form form;
};

constexpr auto guard_rows = std::to_array<GuardRow>({
#define GUARD(qualified, form) {qualified, ir::Scope::Form::form},
#include "analyzer/lexicon/torch.def"
});

struct ConstantRow {
  std::string_view name;
  std::string_view text;
};

constexpr auto constant_rows = std::to_array<ConstantRow>({
#define CONSTANT(qualified, text) {qualified, text},
#include "analyzer/lexicon/torch.def"
});

// Rows of one name stand together in a chain: the first row's index, and after each row the next of
// its name.
template <class Row, std::size_t size>
class Index {
 public:
  explicit Index(const std::array<Row, size>& rows) : rows_(rows) {
    first_.reserve(size * 2);
    for (std::size_t at = size; at-- > 0;) {
      auto [found, fresh] = first_.try_emplace(rows[at].name, at);
      next_[at] = fresh ? size : found->second;
      found->second = at;
    }
  }

  // The first row of this name that `fits`.
  template <class Fits>
  const Row* find(std::string_view name, Fits fits) const {
    const auto found = first_.find(name);
    if (found == first_.end()) return nullptr;
    for (std::size_t at = found->second; at != size; at = next_[at]) {
      if (fits(rows_[at])) return &rows_[at];
    }
    return nullptr;
  }
  const Row* find(std::string_view name) const {
    return find(name, [](const Row&) { return true; });
  }

 private:
  const std::array<Row, size>& rows_;
  std::unordered_map<std::string_view, std::size_t> first_;
  std::array<std::size_t, size> next_{};
};
template <class Row, std::size_t size>
Index(const std::array<Row, size>&) -> Index<Row, size>;

template <const auto& rows>
const auto& index_of() {
  static const Index index(rows);
  return index;
}

std::string_view last_part(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

std::string_view parent_part(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : dotted.substr(0, dot);
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Namespaces whose functions take and give tensors. What such a namespace does not list is a tensor
// operation.
bool is_tensor_namespace(std::string_view space) {
  static constexpr auto spaces = std::to_array<std::string_view>(
      {"torch", "torch.nn.functional", "torch.special", "torch.linalg", "torch.fft", "torch.sparse",
       "torch.nested", "torch.functional", "torch.nn.init", "torch.ops.aten", "torch._C._nn",
       "torch._VF", "torch.fft", "torch.nn.utils.rnn", "torch.masked", "torch.native"});
  for (std::string_view each : spaces) {
    if (space == each) return true;
  }
  return false;
}

Meaning tensor_operation(std::string_view name) {
  const bool in_place = name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_';
  return {in_place ? Kind::TensorInPlace : Kind::Tensor, name, Role::Tensor, true};
}

// x.mul_(2), x.copy_(y): the name of a tensor operation with "_", which nothing but tensors has.
bool is_in_place(std::string_view name) {
  static constexpr auto only_in_place = std::to_array<std::string_view>(
      {"copy_", "zero_", "fill_", "uniform_", "normal_", "random_", "bernoulli_", "exponential_",
       "trunc_normal_", "set_", "resize_", "index_add_", "index_copy_", "index_put_", "squeeze_",
       "unsqueeze_", "fill_diagonal_", "share_memory_"});
  if (name.size() < 2 || name.back() != '_' || name.starts_with("_")) return false;
  for (std::string_view each : only_in_place) {
    if (name == each) return true;
  }
  return index_of<method_rows>().find(name.substr(0, name.size() - 1), [](const MethodRow& each) {
    return each.meaning.kind == Kind::Tensor;
  }) != nullptr;
}

// What torch has beside operations: state of the library, checks, helpers.
bool is_no_operation(std::string_view space, std::string_view name) {
  if (space == "torch.nn.init" && !name.ends_with('_')) return true;
  static constexpr auto starts =
      std::to_array<std::string_view>({"is_", "get_", "set_", "are_", "use_", "_check", "_assert",
                                       "_is_", "_get_", "_set_", "fork", "import_"});
  for (std::string_view each : starts) {
    if (name.starts_with(each)) return true;
  }
  return false;
}

// "detail", "_V2" and "__cxx11" are how libraries version what users write without them.
bool is_hidden_part(std::string_view part) {
  return part == "detail" || part == "_V2" || part == "__cxx11" || part.empty();
}

bool is_canonical(std::string_view qualified) {
  return qualified.find(':') == std::string_view::npos && !qualified.starts_with("at.") &&
         !qualified.starts_with("c10.");
}

// Calls `look` with the canonical spelling; views of it point into `qualified` or the rows' own
// text only.
template <class Look>
auto with_canonical(std::string_view qualified, Look look) {
  return is_canonical(qualified) ? look(qualified) : look(canonical(qualified));
}

// A name of the caller's that outlives a canonical copy: the tail of `qualified` of the same
// length.
std::string_view tail_of(std::string_view qualified, std::size_t length) {
  return qualified.substr(qualified.size() - length);
}

std::optional<Role> fallback_class(std::string_view space, std::string_view name) {
  if (name.empty() || !is_upper(name.front()) || name.ends_with("Options")) return std::nullopt;
  if (space.starts_with("torch.optim.lr_scheduler")) return Role::Scheduler;
  if (space.starts_with("torch.optim")) return Role::Optimizer;
  if (!space.starts_with("torch.nn")) return std::nullopt;
  if (space.starts_with("torch.nn.utils") || space.starts_with("torch.nn.functional"))
    return std::nullopt;
  return name.ends_with("Loss") ? Role::LossModule : Role::Module;
}

// C++ spellings of a class that have no counterpart of the same name.
std::string_view class_alias(std::string_view name) {
  if (name == "Device") return "device";
  if (name == "ReduceLROnPlateauScheduler") return "ReduceLROnPlateau";
  if (name == "DistributedRandomSampler") return "DistributedSampler";  // which shuffles, too
  return name;
}

}  // namespace

void apply(const Meaning& meaning, ir::Op& op) {
  op.kind = meaning.kind;
  op.callee = meaning.callee == ir::name(meaning.kind) ? std::string_view{} : meaning.callee;
  op.result_role = meaning.result;
  if (!meaning.differentiable) op.details["differentiable"] = "false";
}

std::string canonical(std::string_view qualified) {
  std::string text;
  text.reserve(qualified.size());
  std::size_t at = 0;
  while (at <= qualified.size()) {
    std::size_t end = qualified.find_first_of(".:", at);
    if (end == std::string_view::npos) end = qualified.size();
    std::string_view part = qualified.substr(at, end - at);
    at = end + 1;
    if (is_hidden_part(part)) continue;
    if (text.empty() && (part == "at" || part == "c10")) part = "torch";
    if (!text.empty()) text += '.';
    text += part;
  }
  return text;
}

std::optional<Meaning> method(Role receiver, std::string_view name) {
  const auto bit = static_cast<Receivers>(1 << static_cast<int>(receiver));
  const MethodRow* row = index_of<method_rows>().find(
      name, [bit](const MethodRow& each) { return (each.receivers & bit) != 0; });
  if (row != nullptr) return row->meaning;
  if (receiver == Role::Tensor) return tensor_operation(name);
  if (receiver == Role::Unknown && is_in_place(name)) return tensor_operation(name);
  return std::nullopt;
}

std::optional<Meaning> function(std::string_view qualified) {
  return with_canonical(qualified, [qualified](std::string_view name) -> std::optional<Meaning> {
    if (const NameRow* row = index_of<function_rows>().find(name)) return row->meaning;
    const std::string_view last = last_part(name);
    const std::string_view space = parent_part(name);
    if (name.starts_with("std.chrono") && last == "now")
      return Meaning{Kind::Clock, "", Role::Number, true};
    if (space == "torch.Tensor") return method(Role::Tensor, tail_of(qualified, last.size()));
    if (name.starts_with("torch.nn.utils.") && last != name) {
      // torch.nn.utils.clip_grad.clip_grad_norm_ is torch.nn.utils.clip_grad_norm_.
      const NameRow* row = index_of<function_rows>().find("torch.nn.utils." + std::string(last));
      if (row != nullptr) return row->meaning;
    }
    if (!is_tensor_namespace(space)) return std::nullopt;
    if (const NameRow* row = index_of<torch_rows>().find(last)) return row->meaning;
    if (last.empty() || is_upper(last.front())) return std::nullopt;
    if (is_no_operation(space, last))
      return Meaning{Kind::Call, tail_of(qualified, last.size()), Role::Other, true};
    return tensor_operation(tail_of(qualified, last.size()));
  });
}

std::optional<Meaning> construct(std::string_view qualified) {
  return with_canonical(qualified, [qualified](std::string_view name) -> std::optional<Meaning> {
    const std::string_view space = parent_part(name);
    std::string_view last = last_part(name);
    // The caller's own text, because `name` may be a copy.
    std::string_view kept = tail_of(qualified, last.size());
    if (last.ends_with("Impl")) {
      last.remove_suffix(4);
      kept.remove_suffix(4);
    }
    const std::string_view alias = class_alias(last);
    if (alias != last) last = kept = alias;
    const ClassRow* row = index_of<class_rows>().find(
        last, [space](const ClassRow& each) { return space.starts_with(each.space); });
    if (row != nullptr) return Meaning{Kind::Construct, row->name, row->result, true};
    const std::optional<Role> role = fallback_class(space, last);
    if (!role) return std::nullopt;
    return Meaning{Kind::Construct, kept, *role, true};
  });
}

std::optional<ir::Scope::Form> guard(std::string_view qualified) {
  return with_canonical(qualified, [](std::string_view name) -> std::optional<ir::Scope::Form> {
    const GuardRow* row = index_of<guard_rows>().find(name);
    if (row == nullptr) return std::nullopt;
    return row->form;
  });
}

std::optional<std::string_view> constant(std::string_view qualified) {
  return with_canonical(qualified, [](std::string_view name) -> std::optional<std::string_view> {
    const ConstantRow* row = index_of<constant_rows>().find(name);
    if (row == nullptr) return std::nullopt;
    return row->text;
  });
}

}  // namespace forerun::lexicon
