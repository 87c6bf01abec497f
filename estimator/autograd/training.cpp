#include "estimator/autograd/training.h"

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "estimator/autograd/engine.h"
#include "estimator/autograd/optimizer.h"
#include "estimator/autograd/scaler.h"
#include "estimator/ops/activation.h"

namespace forerun::autograd {
namespace {

using ops::Category;
using ops::Phase;
using ops::Runtime;
using ops::Tensor;
using ops::Tensors;

// The batch on the device; it may outlive the spec that brought it.
struct Batch {
  Tensor input, target;
  Tensors more;  // inputs

  bool matches(const graph::Graph& graph) const {
    const auto same = [&](const Tensor& held, graph::ValueId id) {
      const graph::Value& value = graph.values[static_cast<std::size_t>(id)];
      return held && held.shape == value.shape && held.dtype == value.dtype;
    };
    if (!same(input, graph.input) || !same(target, graph.target)) return false;
    for (std::size_t i = 0; i < graph.more_inputs.size(); ++i)
      if (i >= more.size() || !same(more[i], graph.more_inputs[i])) return false;
    return true;
  }
};

class Session {
 public:
  Session(Runtime& run, const Run& what, Batch& batch)
      : run_(run),
        spec_(*what.spec),
        graph_(*what.graph),
        batch_(batch),
        scaled_(spec_.precision == Precision::Fp16Mixed) {}

  void set_up() {
    if (spec_.setup == Setup::DataFirst) load_batch();
    load_model();
    if (spec_.setup != Setup::DataFirst) load_batch();
  }

  Status step(int number) {
    run_.tape.begin_step(number);
    for (std::int64_t i = 0; i < spec_.gradient_accumulation_steps; ++i) {
      if (const Status done = micro_step(); !done) return placed(done.error());
    }
    optimize();
    enter(Phase::Optimizer, "zero_grad");
    for (Parameter* parameter : trained_) parameter->gradient = {};
    loss_ = {};
    run_.tape.end_step();
    return Done{};
  }

 private:
  // The engine knows layers, the graph knows where the spec names them.
  Error placed(Error problem) const {
    const auto found = graph_.places.find(problem.where.file);
    problem.where = found == graph_.places.end() ? Location{spec_.path, {}, {}} : found->second;
    return problem;
  }

  void enter(Phase phase, std::string op) {
    run_.where = {};
    run_.tape.enter(phase, std::move(op));
  }

  void load_batch() {
    if (batch_.matches(graph_)) return;
    batch_ = {};
    enter(Phase::Setup, "batch to the device");
    auto load = [&](graph::ValueId id) {
      const graph::Value& value = graph_.values[static_cast<std::size_t>(id)];
      return run_.empty(value.shape, value.dtype, Category::Data, "batch", value.what);
    };
    batch_.input = load(graph_.input);
    for (const graph::ValueId id : graph_.more_inputs) batch_.more.push_back(load(id));
    batch_.target = graph_.target == graph_.input ? batch_.input : load(graph_.target);
  }

  void load_model() {
    enter(Phase::Setup, "model to the device");
    run_.frame = nullptr;
    if (graph_.by_setup)
      make_model();
    else
      move_model();
    for (const std::string& note : graph_.notes) run_.tape.note(note);
    optimizer_ = make_optimizer(spec_.optimizer, spec_.framework.frontend);
    optimizer_->attach(run_, trained_);
  }

  // The model is made on the device, with everything that comes and goes meanwhile.
  void make_model() {
    for (const graph::Parameter& described : graph_.parameters) {
      tensors_.push_back(std::make_unique<Parameter>());
      tensors_.back()->name = described.name;
    }
    run_.grad_enabled = false;
    std::vector<Tensor> names(graph_.values.size());
    for (const graph::Instruction& step : graph_.setup) {
      if (step.op != nullptr || step.parameters.empty()) {
        const graph::ValueId dropped = step.op == nullptr ? step.inputs[0] : -1;
        if (dropped >= 0 && graph_.values[static_cast<std::size_t>(dropped)].parameter >= 0)
          of(dropped).value = {};
        execute(step, names, Phase::Setup);
        continue;
      }
      const graph::Parameter& described = described_at(step.parameters[0]);
      Parameter& parameter = *tensors_[static_cast<std::size_t>(step.parameters[0])];
      Tensor& name = names[static_cast<std::size_t>(step.output)];
      // Without an input it is made, with a dtype it is converted, else it is kept as it is.
      if (step.inputs.empty() || step.attributes.dtype)
        name = run_.empty(described.shape, step.attributes.dtype.value_or(described.dtype),
                          Category::Parameters, described.name);
      parameter.value = name;
    }
    run_.grad_enabled = true;
    for (const int index : in_order(graph_.trained_order))
      train(described_at(index), *tensors_[static_cast<std::size_t>(index)]);
  }

  // The order, or that of making where there is none.
  std::vector<int> in_order(std::vector<int> order) const {
    for (auto next = order.size(); next < graph_.parameters.size(); ++next)
      order.push_back(static_cast<int>(next));
    return order;
  }

  Parameter& of(graph::ValueId value) {
    const int index = graph_.values[static_cast<std::size_t>(value)].parameter;
    return *tensors_[static_cast<std::size_t>(index)];
  }
  const graph::Parameter& described_at(int index) const {
    return graph_.parameters[static_cast<std::size_t>(index)];
  }
  void train(const graph::Parameter& described, Parameter& parameter) {
    if (!described.trainable || described.discarded) return;
    require_grad(parameter);
    trained_.push_back(&parameter);
  }

  // model.to(device)
  void move_model() {
    for (const graph::Parameter& described : graph_.parameters) {
      tensors_.push_back(std::make_unique<Parameter>());
      tensors_.back()->name = described.name;
    }
    for (const int index : in_order(graph_.moved_order)) {
      const graph::Parameter& described = described_at(index);
      if (!described.discarded)
        tensors_[static_cast<std::size_t>(index)]->value =
            run_.empty(described.shape, described.dtype, Category::Parameters, described.name);
    }
    for (const int index : in_order(graph_.trained_order))
      train(described_at(index), *tensors_[static_cast<std::size_t>(index)]);
  }

  // What a pass starts with: parameters under the values' names.
  std::vector<Tensor> fresh_names() const {
    std::vector<Tensor> names(graph_.values.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const int index = graph_.values[i].parameter;
      if (index >= 0) names[i] = tensors_[static_cast<std::size_t>(index)]->value;
    }
    return names;
  }

  // loss = loss_fn(model(x), y), inside autocast where the spec says so
  void forward() {
    run_.autocast = autocast_dtype(spec_.precision);
    std::vector<Tensor> names = fresh_names();
    auto at = [&](graph::ValueId id) -> Tensor& { return names[static_cast<std::size_t>(id)]; };
    at(graph_.input) = batch_.input;
    at(graph_.target) = batch_.target;
    for (std::size_t i = 0; i < graph_.more_inputs.size(); ++i)
      at(graph_.more_inputs[i]) = batch_.more[i];
    int block = -1;
    for (std::size_t i = 0; i < graph_.instructions.size(); ++i) {
      const graph::Instruction& instruction = graph_.instructions[i];
      if (instruction.checkpoint != block) {
        block = instruction.checkpoint;
        run_.frame = block < 0 ? nullptr : open_frame(i, names);
      }
      execute(instruction, names, Phase::Forward);
    }
    run_.frame = nullptr;
    loss_ = std::move(at(graph_.loss));  // the loss of the micro-batch before goes here
    run_.leave_autocast();
  }

  // checkpoint(module, ...): the instructions from `begin` on that carry the same mark. Its
  // arguments are whatever they read and none of them makes.
  std::shared_ptr<ops::CheckpointFrame> open_frame(std::size_t begin,
                                                   const std::vector<Tensor>& names) {
    auto frame = std::make_shared<ops::CheckpointFrame>();
    std::vector<graph::ValueId> arguments;
    std::set<graph::ValueId> known;
    const int block = graph_.instructions[begin].checkpoint;
    for (std::size_t i = begin;
         i < graph_.instructions.size() && graph_.instructions[i].checkpoint == block; ++i) {
      const graph::Instruction& step = graph_.instructions[i];
      for (const graph::ValueId input : step.inputs) {
        if (input < 0 || !known.insert(input).second) continue;
        arguments.push_back(input);
        frame->inputs.push_back(names[static_cast<std::size_t>(input)]);
      }
      if (step.output >= 0) known.insert(step.output);
      known.insert(step.also.begin(), step.also.end());
    }
    frame->recompute = [this, begin, arguments](const std::shared_ptr<ops::CheckpointFrame>& own) {
      recompute(begin, arguments, own);
    };
    return frame;
  }

  // In backward, under the forward's autocast: up to the last tensor that was kept.
  void recompute(std::size_t begin, const std::vector<graph::ValueId>& arguments,
                 const std::shared_ptr<ops::CheckpointFrame>& frame) {
    const int block = graph_.instructions[begin].checkpoint;
    run_.autocast = autocast_dtype(spec_.precision);
    run_.frame = frame;
    run_.recomputing = true;
    {
      std::vector<Tensor> names = fresh_names();
      for (std::size_t i = 0; i < arguments.size(); ++i)
        names[static_cast<std::size_t>(arguments[i])] = frame->inputs[i];
      for (std::size_t i = begin;
           i < graph_.instructions.size() && graph_.instructions[i].checkpoint == block; ++i) {
        execute(graph_.instructions[i], names, Phase::Backward);
        if (run_.recomputed_enough()) break;
      }
    }
    frame->recomputed = true;
    run_.recomputing = false;
    run_.frame = nullptr;
    run_.leave_autocast();
  }

  void execute(const graph::Instruction& instruction, std::vector<Tensor>& names, Phase phase) {
    auto at = [&](graph::ValueId id) -> Tensor& { return names[static_cast<std::size_t>(id)]; };
    if (instruction.op == nullptr) {
      at(instruction.inputs[0]) = {};
      return;
    }
    run_.where = instruction.where;
    const std::string_view what = phase == Phase::Setup     ? "making"
                                  : phase == Phase::Forward ? "forward"
                                                            : "recomputing";
    run_.tape.enter(phase, what, instruction.where, instruction.op->name);
    Tensors inputs, parameters;
    inputs.reserve(instruction.inputs.size());
    parameters.reserve(instruction.parameters.size());
    for (const graph::ValueId id : instruction.inputs) inputs.push_back(id < 0 ? Tensor{} : at(id));
    for (const int index : instruction.parameters) {
      parameters.push_back(index < 0 ? Tensor{} : tensors_[static_cast<std::size_t>(index)]->value);
    }
    const std::optional<DType> autocast = run_.autocast;
    if (instruction.attributes.no_autocast) run_.autocast.reset();
    Tensors results = instruction.op->run(run_, inputs, parameters, instruction.attributes);
    run_.autocast = autocast;
    at(instruction.output) = std::move(results[0]);
    for (std::size_t i = 0; i < instruction.also.size(); ++i)
      at(instruction.also[i]) = std::move(results[i + 1]);
  }

  Status micro_step() {
    forward();
    enter(Phase::Forward, "loss / micro-batches");
    run_.where = "loss";
    if (spec_.gradient_accumulation_steps > 1) loss_ = ops::divide(run_, loss_);
    run_.tape.end_forward();
    enter(Phase::Backward, "backward of the loss");
    run_.where = "loss";
    // Names Python's call keeps until backward returns: the scaled loss and the gradient it starts
    // from.
    const Tensor root = scaled_ ? scaler_.scale(run_, loss_) : loss_;
    const Tensor seed = run_.empty({}, root.dtype, Category::Temporaries, "gradient of the loss");
    return backward(run_, root, seed);
  }

  void optimize() {
    enter(Phase::Optimizer, "optimizer step");
    if (spec_.clip_norm) {
      if (scaled_) scaler_.unscale(run_);
      if (spec_.framework.frontend == Framework::Frontend::LibTorch)
        clip_grad_norm_of_libtorch(run_, trained_);
      else
        clip_grad_norm(run_, trained_);
    }
    run_.tape.refine("optimizer step");
    if (!scaled_) {
      optimizer_->step(run_, trained_);
      return;
    }
    scaler_.step(run_, *optimizer_, trained_);
    scaler_.update();
  }

  Runtime& run_;
  const Spec& spec_;
  const graph::Graph& graph_;
  Batch& batch_;
  const bool scaled_;
  std::vector<std::unique_ptr<Parameter>>
      tensors_;                      // parameters and buffers, as the graph lists them
  std::vector<Parameter*> trained_;  // model.parameters()
  std::unique_ptr<Optimizer> optimizer_;
  GradScaler scaler_;
  Tensor loss_;
};

}  // namespace

Result<ops::Recording> schedule(const std::vector<Run>& before, const Run& last,
                                const devices::Device& device) {
  ops::Tape tape;
  {
    Runtime run(tape, device);
    Batch batch;
    for (std::size_t i = 0; i < before.size(); ++i) {
      {
        Session session(run, before[i], batch);
        session.set_up();
        if (const Status done = session.step(0); !done) return done.error();
      }
      // A batch that the next spec does not use again goes with the model.
      const Run& next = i + 1 < before.size() ? before[i + 1] : last;
      if (!batch.matches(*next.graph)) batch = {};
      tape.empty_cache();
    }
    Session session(run, last, batch);
    session.set_up();
    for (int step = 1; step <= kSteps; ++step) {
      // From the second on nothing is made for the first time: what such a step does to memory, the
      // next one does again, when it begins with the same memory.
      if (step > 2 && tape.step_left_no_trace()) {
        tape.repeat_step(step);
        continue;
      }
      if (const Status done = session.step(step); !done) return done.error();
    }
    tape.close();
  }
  return tape.take();
}

}  // namespace forerun::autograd
