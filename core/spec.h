// What a user says about one training run: the input of estimate and verify. YAML (JSON is YAML).
//
// Keys, types and defaults are documented beside each field and printed by `forerun schema spec`;
// an unknown key, a wrong type or an impossible value is an Error with file, line and column.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/allocator_options.h"
#include "core/config.h"
#include "core/dtype.h"
#include "core/result.h"
#include "core/shape.h"

namespace forerun {

namespace readers {
struct ExportedProgram;
}

// A scalar or a list, with its place, as a layer's argument.
struct SpecValue {
  using List = std::vector<SpecValue>;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List> value;
  Location at;
};

// One entry of `model:`: `relu`, `{linear: {in: 1024, out: 2048}}`, `{residual: [...]}`,
// `{repeat: {times: 4, layers: [...]}}`. Which arguments exist, and of what type, is the layer's
// own knowledge (layers/<kind>/layer.cpp); here they are only text with a place.
struct LayerSpec {
  struct Argument {
    std::string name;
    SpecValue value;
    Location at;  // of the name
  };
  std::string kind;
  std::vector<Argument> arguments;
  std::vector<LayerSpec> layers;  // of a container
  Location at;
};

// Typed access to a layer's arguments; each reports its own error with a place.
//   auto in = positive(layer, "in");              // Result<int64_t>: required, >= 1
//   auto bias = flag(layer, "bias", true);        // Result<bool>: optional
Result<std::int64_t> positive(const LayerSpec& layer, const std::string& name,
                              std::optional<std::int64_t> fallback = std::nullopt);
Result<bool> flag(const LayerSpec& layer, const std::string& name, bool fallback);
Result<double> number(const LayerSpec& layer, const std::string& name,
                      std::optional<double> fallback = std::nullopt);
Result<std::string> word(const LayerSpec& layer, const std::string& name,
                         std::optional<std::string> fallback = std::nullopt);
// One integer for every dimension, or a list with one for each: kernel: 3, kernel: [3, 5].
Result<Shape> sizes(const LayerSpec& layer, const std::string& name, std::size_t dimensions,
                    std::int64_t least, std::optional<std::int64_t> fallback = std::nullopt);
bool has_argument(const LayerSpec& layer, const std::string& name);
// Unknown argument names are an error that names the nearest known one.
Status only_arguments(const LayerSpec& layer, const std::vector<std::string>& known);

struct TensorSpec {
  Shape shape;  // of one sample; the batch dimension is added in front
  DType dtype = DType::Float32;
  Location at;
};

enum class Precision { Fp32, Bf16, Bf16Mixed, Fp16Mixed };
enum class OptimizerKind { Sgd, Adam, AdamW, Adagrad, RmsProp, Adamax, NAdam };
enum class OptimizerImplementation { Foreach, Fused, ForLoop };
enum class LossKind { CrossEntropy, Mse, BceWithLogits, L1, SmoothL1, Huber, Nll };
// on-device: the model is made there, with what its making allocates on the way, before the batch
// comes; the default for a model that is named, and for no list of layers.
enum class Setup { ModelFirst, DataFirst, OnDevice };

struct OptimizerSpec {
  OptimizerKind name = OptimizerKind::AdamW;
  OptimizerImplementation implementation = OptimizerImplementation::Foreach;
  double momentum = 0;      // sgd, rmsprop
  bool nesterov = false;    // sgd with momentum
  bool amsgrad = false;     // adam, adamw
  bool centered = false;    // rmsprop
  bool maximize = false;    // steps against the gradient
  double weight_decay = 0;  // pytorch's defaults when absent: 0.01 for adamw, 0 for the others
  double lr = 1e-3;
  Location at;
};

// "pytorch-2.11": Python eager. "libtorch-2.11": the C++ frontend, whose optimizers are
// per-parameter loops.
struct Framework {
  enum class Frontend { PyTorch, LibTorch };
  Frontend frontend = Frontend::PyTorch;
  int major = 2;
  int minor = 11;
  Location at;
};

// `model: {hf_config: path/to/config.json, class: AutoModelForCausalLM}`, `model: {torchvision:
// resnet50}`, `model: {exported: model.pt2}`: an archive of torch.export.save, or `model: {onnx:
// model.onnx}`.
struct ModelSource {
  enum class Kind { HfConfig, Torchvision, Exported, Onnx };
  bool is_file() const { return kind == Kind::Exported || kind == Kind::Onnx; }
  Kind kind = Kind::HfConfig;
  // The class (the file's first architecture when absent), torchvision's name, or the file's path,
  // relative to the working directory.
  std::string name;
  ConfigValue config;  // what config.json says
  Location at;         // of the name
  // What the archive says, where it has been read already (estimator/readers).
  std::shared_ptr<const readers::ExportedProgram> program = nullptr;
};

struct Spec {
  std::string path;              // as named by the user
  std::vector<LayerSpec> model;  // empty: `source` says what the model is
  std::optional<ModelSource> source;
  // Tokens a sample of a text model from `hf_config`, which brings its own input, target and loss.
  std::optional<std::int64_t> sequence_length;
  Location sequence_length_at;
  TensorSpec input;   // `at` without a file where absent: an archive brings its own
  TensorSpec target;  // the same
  LossKind loss = LossKind::CrossEntropy;
  double label_smoothing = 0;  // cross_entropy: {loss: {name: cross_entropy, label_smoothing: 0.1}}
  std::int64_t batch_size = 1;
  Precision precision = Precision::Fp32;
  OptimizerSpec optimizer;
  std::int64_t gradient_accumulation_steps = 1;
  std::optional<double> clip_norm;
  std::optional<std::string> checkpoint;  // "every_block", or "segments" for {segments: k}
  std::int64_t checkpoint_segments = 0;   // torch.utils.checkpoint.checkpoint_sequential's
  std::string gpu = "h100-sxm-80gb";
  Location gpu_at;
  Framework framework;
  AllocatorOptions allocator;  // of the process: those of the spec that is reported count
  Setup setup = Setup::ModelFirst;
  // The spec whose step ran before in the same process: one step, then its model, optimizer and
  // loss are deleted and the cache is emptied; a batch that is the same (input, target, batch_size)
  // stays on the device. Allocator history counts.
  std::shared_ptr<const Spec> after;
  std::optional<std::int64_t> dataset_size;  // samples
  std::optional<std::int64_t> epochs;
};

// Reads and checks a spec; `after:` is read too, relative to the file that names it, and cycles are
// an error. Names of layers, their arguments and the shapes between them are checked when the graph
// is built.
Result<Spec> read_spec(const std::string& path);
// The same from text; `path` is used in positions and to resolve `after:`.
Result<Spec> parse_spec(const std::string& text, const std::string& path);

// The spec's own spelling: "bf16-mixed", "adamw", "for-loop", "cross_entropy", "data-first",
// "pytorch-2.11".
std::string_view name(Precision precision);
// What torch.autocast casts to; nothing without autocast.
std::optional<DType> autocast_dtype(Precision precision);
std::string_view name(OptimizerKind kind);
std::string_view name(OptimizerImplementation implementation);
std::string_view name(LossKind loss);
std::string_view name(Setup setup);
std::string name(const Framework& framework);

}  // namespace forerun
