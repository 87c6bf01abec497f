#include "estimator/pipeline/estimate.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "estimator/autograd/training.h"
#include "estimator/cost/roofline.h"
#include "estimator/graph/graph.h"
#include "estimator/pipeline/stages.h"
#include "estimator/pipeline/trace.h"

namespace forerun::pipeline {
namespace {

using ops::Category;
using ops::Event;
using ops::Recording;

// Sums allocations of the category that are alive after an event, by a name of theirs; in order of
// appearance.
template <class Name>
std::vector<Part> sum_alive(const Recording& recording, std::size_t event, Category category,
                            Name name_of) {
  std::vector<Part> parts;
  std::map<std::string_view, std::size_t> places;
  for (const std::size_t id : alive_ids(recording, event)) {
    const ops::Allocation& made = recording.allocations[id];
    if (made.category != category) continue;
    const std::string_view what = name_of(made);
    const auto [place, fresh] = places.emplace(what, parts.size());
    if (fresh) parts.push_back({std::string(what), std::string(name(category)), 0});
    parts[place->second].bytes += made.bytes;
  }
  return parts;
}

std::int64_t total(const std::vector<Part>& parts) {
  std::int64_t bytes = 0;
  for (const Part& part : parts) bytes += part.bytes;
  return bytes;
}

// The first event of its kind in the last step: the state every step after it repeats.
std::size_t last_event(const Recording& recording, Event::Kind kind) {
  for (std::size_t i = recording.events.size(); i-- > 0;) {
    if (recording.events[i].kind == kind) return i;
  }
  return 0;
}

Peak explain(const Recording& recording, const Trace& trace, std::size_t step) {
  const std::size_t at = trace.steps[step].peak_event;
  const Event& event = recording.events[at];
  Peak peak;
  peak.step = static_cast<int>(step) + 1;
  peak.phase = name(event.phase);
  peak.op = recording.op_text(event.op);
  peak.alive = alive_after(recording, trace, at);
  return peak;
}

OutOfMemoryAt explain(const Recording& recording, const FullDevice& full) {
  OutOfMemoryAt made;
  for (std::size_t i = 0; i < full.event; ++i) {
    if (recording.events[i].kind == Event::Kind::StepBegins)
      made.step = recording.events[i].subject;
  }
  const Event& event = recording.events[full.event];
  made.phase = name(event.phase);
  made.op = recording.op_text(event.op);
  made.what = recording.text(recording.allocations[static_cast<std::size_t>(event.subject)]);
  made.message = full.message;
  return made;
}

MemoryEstimate memory(const graph::Graph& graph, const Recording& recording, const Trace& trace,
                      const devices::Device& device) {
  MemoryEstimate made;
  made.parameter_count = graph.parameter_count();
  made.parameters_bytes = graph.parameters_bytes();
  made.gradients_bytes = made.parameters_bytes;  // every parameter trains, in its own dtype
  const std::size_t end = last_event(recording, Event::Kind::StepEnds);
  made.optimizer_state_bytes = total(sum_alive(recording, end, Category::OptimizerState,
                                               [](const ops::Allocation&) { return ""; }));
  const std::size_t boundary = last_event(recording, Event::Kind::ForwardEnds);
  made.activations =
      sum_alive(recording, boundary, Category::Activations, [&](const ops::Allocation& one) {
        return one.owner < 0 ? std::string_view("loss") : recording.name(one.owner);
      });
  made.activations_bytes = total(made.activations);
  const auto library = [&](const ops::Allocation& one) {
    const std::string_view text = recording.name(one.where < 0 ? one.what : one.where);
    return text.substr(0, text.find(' '));
  };
  made.workspaces = sum_alive(recording, end, Category::Workspaces, library);
  made.workspaces_bytes = total(made.workspaces);
  made.context_bytes = device.context_bytes;
  for (std::size_t step = 0; step < trace.steps.size(); ++step) {
    made.steps.push_back(trace.steps[step].memory);
    made.peaks.push_back(explain(recording, trace, step));
    made.peak_allocated_bytes =
        std::max(made.peak_allocated_bytes, made.steps.back().peak_allocated_bytes);
    made.peak_reserved_bytes =
        std::max(made.peak_reserved_bytes, made.steps.back().peak_reserved_bytes);
  }
  made.headroom_bytes = device.usable_bytes() - made.peak_reserved_bytes;
  return made;
}

// A second or two of work at most: nobody trains with more operators a step than this.
constexpr std::int64_t kMaxOperators = 400'000;

Result<graph::Graph> build_graph(const Spec& spec) {
  if (const Status known = check_supported(spec); !known) return known.error();
  auto graph = graph::build(spec);
  if (!graph) return graph;
  const auto operators = static_cast<std::int64_t>(graph->instructions.size());
  if (operators * spec.gradient_accumulation_steps <= kMaxOperators) return graph;
  return error_at({spec.path, {}, {}},
                  fmt::format("a step of {} operators in {} micro-batches is too long to simulate",
                              operators, spec.gradient_accumulation_steps),
                  fmt::format("at most {} in all", kMaxOperators));
}

Result<Estimate> estimate_one(const Stages& stages, const Spec& spec,
                              const devices::Device& device) {
  Estimate made;
  made.spec_path = spec.path;
  made.gpu = device.name;
  made.framework = name(spec.framework);
  made.allocator = text(spec.allocator);
  // On the card's own memory first: a full card makes PyTorch empty its cache and go on. When even
  // that is not enough, the figures say what the step would need.
  FullDevice full;
  auto trace = replay(stages.recording, &device, spec.allocator, &full);
  const bool fits = trace.has_value();
  if (!fits) trace = replay(stages.recording, nullptr, spec.allocator);
  made.memory = memory(stages.graph, stages.recording, *trace, device);
  made.memory.fits = fits;
  if (!fits) made.memory.out_of_memory = explain(stages.recording, full);
  made.unmodelled = stages.recording.notes;
  made.time = cost::estimate(stages.recording.kernels, spec, device);
  return made;
}

}  // namespace

Result<Stages> build_stages(const std::vector<const Spec*>& before, const Spec& spec,
                            const devices::Device& device) {
  std::vector<graph::Graph> graphs;
  graphs.reserve(before.size());
  std::vector<autograd::Run> earlier;
  for (const Spec* one : before) {
    auto graph = build_graph(*one);
    if (!graph) return graph.error();
    graphs.push_back(std::move(*graph));
    earlier.push_back({one, &graphs.back()});
  }
  auto graph = build_graph(spec);
  if (!graph) return graph.error();
  auto recording = autograd::schedule(earlier, {&spec, &*graph}, device);
  if (!recording) return recording.error();
  return Stages{std::move(*graph), std::move(*recording)};
}

std::vector<const Spec*> history(const std::vector<Spec>& specs, std::size_t index) {
  std::vector<const Spec*> chain;
  auto add = [&](const Spec& spec) {
    std::vector<const Spec*> own;
    for (const Spec* before = spec.after.get(); before != nullptr; before = before->after.get())
      own.insert(own.begin(), before);
    chain.insert(chain.end(), own.begin(), own.end());
  };
  for (std::size_t i = 0; i <= index; ++i) {
    add(specs[i]);
    if (i < index) chain.push_back(&specs[i]);
  }
  return chain;
}

// What PyTorch itself refuses, or has no code for.
Status check_supported(const Spec& spec) {
  using Kind = OptimizerKind;
  const OptimizerSpec& optimizer = spec.optimizer;
  const bool fused = optimizer.implementation == OptimizerImplementation::Fused;
  const bool has_fused =
      optimizer.name == Kind::Sgd || optimizer.name == Kind::Adam || optimizer.name == Kind::AdamW;
  if (fused && !has_fused) {
    return error_at(optimizer.at,
                    fmt::format("{} has no fused implementation on CUDA", name(optimizer.name)),
                    "implementation: foreach or for-loop");
  }
  if (spec.framework.frontend == Framework::Frontend::PyTorch) return Done{};
  if (optimizer.name == Kind::Adamax || optimizer.name == Kind::NAdam || optimizer.maximize) {
    return error_at(
        optimizer.at,
        fmt::format("LibTorch has no {}", optimizer.maximize ? "maximize" : name(optimizer.name)),
        "framework: pytorch-2.11");
  }
  if (spec.checkpoint)
    return error_at({spec.path, {}, {}}, "LibTorch has no checkpoint: it is Python's alone",
                    "framework: pytorch-2.11");
  return Done{};
}

Result<std::vector<Estimate>> estimate(const std::vector<Spec>& specs,
                                       const devices::Device& device) {
  std::vector<Estimate> made;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    auto stages = build_stages(history(specs, i), specs[i], device);
    if (!stages) return stages.error();
    auto one = estimate_one(*stages, specs[i], device);
    if (!one) return one.error();
    made.push_back(std::move(*one));
  }
  return made;
}

}  // namespace forerun::pipeline
