#include "analyzer/flow/names.h"

#include <array>
#include <set>

namespace forerun::flow {
namespace {

using Table = std::set<std::string_view>;

const Table kPassing = {
    "sum",           "max",        "min",       "abs",      "list",   "tuple",  "set",   "sorted",
    "reversed",      "zip",        "enumerate", "tqdm",     "trange", "islice", "chain", "iter",
    "next",          "filter",     "map",       "deepcopy", "copy",   "reduce", "cycle", "track",
    "from_iterable", "make_tuple", "make_pair", "tie",      "as",     "get",    "value", "begin",
    "end",           "front",      "back",      "at",       "items",  "values", "keys"};

const Table kHarmless = {"isinstance",
                         "issubclass",
                         "len",
                         "size",
                         "range",
                         "hasattr",
                         "getattr",
                         "id",
                         "type",
                         "repr",
                         "str",
                         "int",
                         "float",
                         "bool",
                         "round",
                         "divmod",
                         "pow",
                         "hash",
                         "callable",
                         "vars",
                         "dir",
                         "any",
                         "all",
                         "super",
                         "__init__",
                         "dict",
                         "print",
                         "info",
                         "debug",
                         "warning",
                         "error",
                         "log",
                         "add_scalar",
                         "add_scalars",
                         "add_histogram",
                         "add_image",
                         "set_postfix",
                         "set_postfix_str",
                         "set_description",
                         "set_description_str",
                         "update_postfix",
                         "write",
                         "flush",
                         "close",
                         "join",
                         "exit",
                         "record_function",
                         "profile",
                         "nullcontext",
                         "no_sync",
                         "device",
                         "stream",
                         "Stream",
                         "Event",
                         "time",
                         "perf_counter",
                         "sleep",
                         "empty",
                         "manual_seed",
                         "get_last_lr",
                         "get_lr",
                         "get_scale",
                         "param_groups",
                         "is_available",
                         "device_count",
                         "current_device",
                         "set_device",
                         "barrier",
                         "get_rank",
                         "get_world_size",
                         "is_initialized",
                         "memory_allocated",
                         "max_memory_allocated",
                         "memory_reserved",
                         "reset_peak_memory_stats",
                         "isnan",
                         "isinf",
                         "isfinite",
                         "ceil",
                         "floor",
                         "exp",
                         "sqrt",
                         "min",
                         "max",
                         "format",
                         "makedirs",
                         "exists",
                         "parse_args",
                         "ArgumentParser",
                         "add_argument",
                         "Path",
                         "set_epoch",
                         "named_parameters",
                         "named_modules",
                         "modules",
                         "children",
                         "named_children",
                         "buffers",
                         "batch_size",
                         "summary",
                         "flatten",
                         "getLogger",
                         "deque",
                         "defaultdict",
                         "Counter",
                         "OrderedDict",
                         "namedtuple",
                         "dataclass",
                         "reset_stats"};

// torch operations whose result is an index, a truth value, a count or a fresh constant.
const Table kNoGradient = {"argmax",       "argmin",
                           "argsort",      "eq",
                           "ne",           "lt",
                           "le",           "gt",
                           "ge",           "equal",
                           "allclose",     "isclose",
                           "isnan",        "isinf",
                           "isfinite",     "logical_and",
                           "logical_or",   "logical_not",
                           "logical_xor",  "bitwise_and",
                           "bitwise_or",   "bitwise_not",
                           "any",          "all",
                           "nonzero",      "count_nonzero",
                           "bincount",     "histc",
                           "one_hot",      "searchsorted",
                           "bucketize",    "multinomial",
                           "bernoulli",    "randint",
                           "randperm",     "rand",
                           "randn",        "normal",
                           "zeros",        "ones",
                           "full",         "empty",
                           "arange",       "linspace",
                           "eye",          "tensor",
                           "as_tensor",    "from_numpy",
                           "from_blob",    "zeros_like",
                           "ones_like",    "rand_like",
                           "randn_like",   "full_like",
                           "empty_like",   "randint_like",
                           "sign",         "round",
                           "floor",        "ceil",
                           "trunc",        "floor_divide",
                           "unique",       "sgn",
                           "new_zeros",    "new_ones",
                           "new_full",     "new_empty",
                           "new_tensor",   "is_nonzero",
                           "numel",        "isin",
                           "get_device",   "heaviside",
                           "tril_indices", "triu_indices"};

const Table kOperatorsWithoutGradient = {
    "eq",     "ne",     "lt",    "le",     "gt",     "ge",     "and",
    "or",     "not",    "is",    "is_not", "in",     "not_in", "floordiv",
    "invert", "bitand", "bitor", "bitxor", "lshift", "rshift", "contains"};

const Table kParameterless = {"ReLU",
                              "ReLU6",
                              "LeakyReLU",
                              "ELU",
                              "SELU",
                              "CELU",
                              "GELU",
                              "SiLU",
                              "Mish",
                              "Sigmoid",
                              "Tanh",
                              "Softmax",
                              "LogSoftmax",
                              "Softplus",
                              "Softsign",
                              "Hardtanh",
                              "Hardswish",
                              "Hardsigmoid",
                              "Threshold",
                              "Dropout",
                              "Dropout1d",
                              "Dropout2d",
                              "Dropout3d",
                              "AlphaDropout",
                              "MaxPool1d",
                              "MaxPool2d",
                              "MaxPool3d",
                              "AvgPool1d",
                              "AvgPool2d",
                              "AvgPool3d",
                              "AdaptiveAvgPool1d",
                              "AdaptiveAvgPool2d",
                              "AdaptiveAvgPool3d",
                              "AdaptiveMaxPool1d",
                              "AdaptiveMaxPool2d",
                              "Flatten",
                              "Unflatten",
                              "Identity",
                              "Upsample",
                              "PixelShuffle",
                              "ZeroPad2d",
                              "ReflectionPad2d",
                              "ReplicationPad2d",
                              "ConstantPad2d",
                              "Fold",
                              "Unfold",
                              "CosineSimilarity",
                              "PairwiseDistance"};

// Import roots of frameworks that own the loop.
constexpr std::array<std::string_view, 13> kFrameworks = {
    "lightning", "pytorch_lightning", "lightning_fabric", "accelerate", "deepspeed",  "ignite",
    "fastai",    "composer",          "mmengine",         "mmcv",       "torchtitan", "colossalai",
    "catalyst"};

bool starts_with_module(std::string_view import, std::string_view module) {
  return import.starts_with(module) &&
         (import.size() == module.size() || import[module.size()] == '.');
}

}  // namespace

bool passes_through(std::string_view callee) { return kPassing.contains(callee); }

bool is_harmless(std::string_view callee) {
  return kHarmless.contains(callee) || kPassing.contains(callee);
}

bool is_differentiable(const ir::Op& op) {
  if (const auto said = op.details.find("differentiable"); said != op.details.end())
    return said->second != "false";
  if (op.kind == ir::Kind::Arith) return !kOperatorsWithoutGradient.contains(op.callee);
  if (op.kind == ir::Kind::Tensor) return !kNoGradient.contains(op.callee);
  if (op.kind == ir::Kind::Move)
    return op.callee != "long" && op.callee != "int" && op.callee != "bool" && op.callee != "byte";
  return true;
}

bool has_no_parameters(std::string_view module_class) {
  return kParameterless.contains(module_class);
}

std::optional<std::string> framework(const ir::Program& program) {
  for (const std::string& import : program.imports) {
    for (const std::string_view known : kFrameworks) {
      if (starts_with_module(import, known)) return std::string(known);
    }
    // `from transformers import Trainer`; the package alone is also used for models in loops people
    // write themselves.
    if (starts_with_module(import, "transformers") && import.ends_with("Trainer"))
      return "transformers.Trainer";
    if (starts_with_module(import, "torch.distributed.autograd") ||
        starts_with_module(import, "torch.distributed.optim"))
      return "torch.distributed.autograd";
  }
  std::set<std::string_view> own;
  for (const ir::Class& type : program.classes) own.insert(type.name);
  for (const ir::Class& type : program.classes) {
    for (const std::string& base : type.bases) {
      if (!own.contains(base) && (base.ends_with("LightningModule") || base.ends_with("Trainer")))
        return base;
    }
  }
  return std::nullopt;
}

}  // namespace forerun::flow
