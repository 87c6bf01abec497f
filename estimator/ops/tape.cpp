#include "estimator/ops/tape.h"

#include <algorithm>
#include <utility>

namespace forerun::ops {

std::string_view name(Category category) {
  switch (category) {
    case Category::Parameters: return "parameters";
    case Category::Gradients: return "gradients";
    case Category::OptimizerState: return "optimizer_state";
    case Category::Activations: return "activations";
    case Category::Workspaces: return "workspaces";
    case Category::Data: return "data";
    case Category::Temporaries: return "temporaries";
  }
  return "";
}

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::Setup: return "setup";
    case Phase::Forward: return "forward";
    case Phase::Backward: return "backward";
    case Phase::Optimizer: return "optimizer";
  }
  return "";
}

void Tape::add(Event::Kind kind, int subject) {
  if (closed_ || muted_) return;
  recording_.events.push_back({kind, subject, op_, phase_});
}

int Tape::allocate(std::int64_t bytes, Category category, std::string what) {
  // A tensor without elements has no memory.
  if (bytes == 0 || muted_) return kNothing;
  const int id = static_cast<int>(recording_.allocations.size());
  recording_.allocations.push_back({bytes, category, std::move(what), owner_});
  add(Event::Kind::Allocate, id);
  return id;
}

void Tape::free(int allocation) {
  if (allocation != kNothing) add(Event::Kind::Free, allocation);
}
void Tape::empty_cache() { add(Event::Kind::EmptyCache, 0); }
void Tape::end_forward() { add(Event::Kind::ForwardEnds, 0); }
void Tape::end_step() { add(Event::Kind::StepEnds, step_); }

void Tape::begin_step(int step) {
  step_ = step;
  add(Event::Kind::StepBegins, step);
}

void Tape::note(std::string what) {
  auto& notes = recording_.notes;
  if (std::find(notes.begin(), notes.end(), what) == notes.end()) notes.push_back(std::move(what));
}

void Tape::launch(std::string_view kernel, DType dtype, double flops, double bytes) {
  if (muted_) return;
  recording_.kernels.push_back({kernel, phase_, dtype, flops, bytes, step_});
}

void Tape::enter(Phase phase, std::string op, std::string_view owner) {
  phase_ = phase;
  if (muted_) return;
  op_ = static_cast<int>(recording_.ops.size());
  recording_.ops.push_back(std::move(op));
  owner_ = owner.empty() ? -1 : owner_of(owner);
}

int Tape::owner_of(std::string_view layer) {
  if (owner_ >= 0 && recording_.owners[static_cast<std::size_t>(owner_)] == layer) return owner_;
  if (const auto known = owners_.find(layer); known != owners_.end()) return known->second;
  const auto id = static_cast<int>(recording_.owners.size());
  recording_.owners.emplace_back(layer);
  owners_.emplace(layer, id);
  return id;
}

void Tape::refine(std::string op) {
  if (muted_) return;
  op_ = static_cast<int>(recording_.ops.size());
  recording_.ops.push_back(std::move(op));
}

}  // namespace forerun::ops
