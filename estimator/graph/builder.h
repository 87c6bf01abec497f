// What a layer builds its part of the graph with.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "estimator/graph/graph.h"
#include "estimator/graph/name.h"

namespace forerun::models {
struct Model;
}

namespace forerun::graph {

// The layers of a `repeat`, in the order they run. Errors: its arguments.
Result<std::vector<const LayerSpec*>> repeated(const LayerSpec& repeat);

class Builder {
 public:
  explicit Builder(const Spec& spec);

  // --- for layers ---
  const Shape& shape(ValueId value) const {
    return graph_.values[static_cast<std::size_t>(value)].shape;
  }
  DType dtype(ValueId value) const { return graph_.values[static_cast<std::size_t>(value)].dtype; }
  // A trainable parameter of the current layer, in the model's precision; `role` is "weight" or
  // "bias".
  Result<int> parameter(std::string role, Shape shape);
  // State that moves with the model and does not train; floating dtypes follow the model's
  // precision.
  Result<int> buffer(std::string role, Shape shape, DType dtype);
  Result<ValueId> call(const ops::Operator& op, std::vector<ValueId> inputs,
                       std::vector<int> parameters, Shape shape, ops::Attributes attributes = {});
  // An operator that changes neither shape nor dtype and has no parameters.
  Result<ValueId> pointwise(const ops::Operator& op, ValueId input,
                            ops::Attributes attributes = {}) {
    return call(op, {input}, {}, shape(input), attributes);
  }
  // A layer that applies one operator to every element of a floating-point input; `numbers` are
  // arguments that change its values and none of its memory.
  Result<ValueId> activation(const LayerSpec& spec, const ops::Operator& op, ValueId input,
                             const std::vector<std::string>& numbers = {});
  // Everything called until leave_checkpoint() is one block under `checkpoint: every_block`;
  // without that key, or for a block that is not one of the model's own sequence, nothing changes.
  void enter_checkpoint();
  void leave_checkpoint() {
    if (spec_.checkpoint == "every_block") checkpoint_ = -1;
  }
  // nn.Sequential: each result replaces the one before under the same name.
  Result<ValueId> sequence(const std::vector<LayerSpec>& layers, ValueId input);
  Result<ValueId> repeat(const LayerSpec& spec, ValueId input);
  // The same, with `names` more values that stay alive until they are dropped.
  Result<std::vector<ValueId>> call_many(const ops::Operator& op, std::vector<ValueId> inputs,
                                         Shape shape, ops::Attributes attributes, int names);
  void drop(ValueId value);
  void drop(const std::vector<ValueId>& values) {
    for (const ValueId value : values) drop(value);
  }
  // "layer 3 (linear) expects 1024 features, but layer 2 (relu, spec.yaml:4:5) gives [65536, 2048]"
  Error mismatch(const LayerSpec& layer, const std::string& expects, ValueId input) const;
  // Autograd treats a value that trains and is a view of another apart when it is written in place
  // (CopySlices).
  void mark_view(ValueId value) {
    if (!graph_.parameters.empty()) views_.insert(value);
  }
  bool is_view(ValueId value) const { return views_.count(value) > 0; }
  // Floating-point input is needed: token ids first go through an embedding.
  Status needs_floating(const LayerSpec& layer, ValueId input) const;

  // The name of what is being built: "linear 1"; a layer of several parts names each with at().
  const std::string& where() const { return where_; }
  void at(std::string where) { where_ = std::move(where); }
  bool libtorch() const { return spec_.framework.frontend == Framework::Frontend::LibTorch; }
  bool mixed_precision() const { return autocast_dtype(spec_.precision).has_value(); }

  // --- for models (docs/models.md) ---
  // Everything until forward_begins() makes the model on the device (Graph::setup).
  void forward_begins();
  // The model is made in fp32; forward_begins() converts it where the precision is bf16, as
  // model.to(torch.bfloat16) does.
  void make_in_float() { float_first_ = true; }
  // PyTorch goes through a model as its modules are registered, which may differ from the order of
  // making. Parameters from `from` to before `to` come after all that were made since.
  int made() const { return static_cast<int>(graph_.parameters.size()); }
  void registered_last(int from, int to);
  // They are the own ones of a module whose first parameter is `module`: model.parameters() gives
  // them before those of its children, model.to() moves them after.
  void registered_own(int module, int from, int to);
  // A trainable parameter in the model's precision; a buffer in its own dtype.
  Name weight(std::string role, Shape shape);
  Name weight(std::string role, Shape shape, DType dtype);  // in a dtype of its own
  Name state(std::string role, Shape shape, DType dtype);
  // The value becomes a buffer: what it was computed from goes, its memory stays with the model.
  Name keep_as_state(std::string role, Name value);
  // The same for a trainable parameter.
  Name keep_as_weight(std::string role, Name value);
  // A parameter that another one replaces (tied weights): made, then freed.
  void discard(Name parameter);
  // A batch's tensor on the device; the first is the input, the second the target. One call with
  // both when labels are the input itself.
  Name data(std::string what, Shape shape, DType dtype);
  // One more input of the batch, after the first.
  Name more_data(std::string what, Shape shape, DType dtype);
  void labels_are(const Name& input) { graph_.target = input.id(); }
  void labels_are_input() { graph_.target = graph_.input; }
  // Runs the operator on values (an empty Name: an absent operand) and gives its results. An
  // operand that was moved in and is held by nobody else is dropped when the operator returns.
  std::vector<Name> apply(const ops::Operator& op, std::vector<Name> operands,
                          ops::Attributes attributes = {});
  Name apply_one(const ops::Operator& op, std::vector<Name> operands,
                 ops::Attributes attributes = {}) {
    auto all = apply(op, std::move(operands), std::move(attributes));
    return all.empty() ? Name{} : std::move(all[0]);
  }
  const ops::Tensor& tensor(ValueId value) const { return meta_[static_cast<std::size_t>(value)]; }
  // What follows is one checkpointed block when the spec says `checkpoint: every_block`.
  void begin_block() {
    if (spec_.checkpoint == "every_block") checkpoint_ = checkpoints_++;
  }
  void end_block() { checkpoint_ = -1; }
  bool checkpoints() const { return spec_.checkpoint.has_value(); }
  // `with torch.autocast(enabled=False)`
  void autocast_off(bool off) { autocast_is_off_ = off; }
  DType model_dtype() const {
    if (making_ && float_first_) return DType::Float32;
    return spec_.precision == Precision::Bf16 ? DType::BFloat16 : DType::Float32;
  }
  // The first error is kept; what is called after it does nothing.
  void fail(Error problem) {
    if (!problem_) problem_ = std::move(problem);
  }
  bool failed() const { return problem_.has_value(); }
  const Error& error() const { return *problem_; }
  void note(std::string what) { graph_.notes.push_back(std::move(what)); }
  // "h.0" and within it "attn": the name of what is being built is "h.0.attn" until it goes.
  class Scope {
   public:
    Scope(Builder& builder, const std::string& name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Builder& builder_;
    std::string before_;
  };
  void drop_name(ValueId value);
  void keep_forever(const Name& name) { pinned_.insert(name.id()); }
  Result<ValueId> prediction(const models::Model& model, ValueId input);

  // --- for build() ---
  Result<ValueId> add_value(Shape shape, DType dtype, std::string what, const Location& at);
  Result<ValueId> layer(const LayerSpec& spec, ValueId input);
  // The model's own sequence, where a repeat's layers stand one by one.
  Result<ValueId> model(const std::vector<LayerSpec>& layers, ValueId input);
  Graph& graph() { return graph_; }

 private:
  Result<ValueId> in_turn(const std::vector<const LayerSpec*>& layers, ValueId input,
                          bool input_is_held);
  Result<ValueId> segments(const std::vector<const LayerSpec*>& layers, ValueId input);
  void push(Instruction instruction);
  void push_drop(ValueId value);
  Name data_value(std::string what, Shape shape, DType dtype);
  Name made_parameter(std::string role, Shape shape, DType dtype, bool trainable);
  Name keep_value(std::string role, Name value, bool trainable);
  void convert(int parameter, DType dtype);
  void set_meta(ValueId id, Shape shape, DType dtype);
  Result<int> add_parameter(std::string role, Shape shape, DType dtype, bool trainable);

  struct Made {  // by which layer a value was made
    int number = 0;
    std::string kind;
    Location at;
  };
  const Spec& spec_;
  Graph graph_;
  std::string where_;
  std::map<std::string, int> counts_;  // layers of a kind so far
  int number_ = 0;                     // layers so far
  int depth_ = 0;
  int checkpoint_ = -1;
  int checkpoints_ = 0;
  Location at_;
  bool making_ = true;
  bool float_first_ = false;
  bool autocast_is_off_ = false;
  bool closed_ = false;
  std::optional<Error> problem_;
  std::unique_ptr<ops::Tape> meta_tape_;  // muted
  std::unique_ptr<devices::Device> meta_device_;
  std::unique_ptr<ops::Runtime> meta_run_;  // shapes of what operators give
  std::vector<ops::Tensor> meta_;           // of each value
  std::set<ValueId> pinned_;
  std::map<ValueId, Made> made_by_;
  std::set<ValueId> views_;
};

}  // namespace forerun::graph
