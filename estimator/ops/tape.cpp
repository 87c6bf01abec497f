#include "estimator/ops/tape.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

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

std::string Recording::text(const Allocation& made) const {
  return made.where < 0 ? name(made.what) : name(made.where) + ' ' + name(made.what);
}

std::string Recording::op_text(int op) const {
  if (op < 0) return "";
  const Operation& one = ops[static_cast<std::size_t>(op)];
  if (one.doing.empty()) return one.text;
  return fmt::format("{} of {}: {}", one.doing, name(one.where), one.op);
}

int Tape::allocate(std::int64_t bytes, Category category, std::string_view where,
                   std::string_view what) {
  // A tensor without elements has no memory.
  if (bytes == 0 || muted_) return kNothing;
  const int id = static_cast<int>(recording_.allocations.size());
  recording_.allocations.push_back(
      {bytes, category, where.empty() ? -1 : index_of(where), index_of(what), owner_});
  ++step_alive_;
  add(Event::Kind::Allocate, id);
  return id;
}

void Tape::free(int allocation) {
  if (allocation == kNothing) return;
  if (static_cast<std::size_t>(allocation) < step_allocation_)
    step_freed_older_ = true;
  else
    --step_alive_;
  add(Event::Kind::Free, allocation);
}

void Tape::empty_cache() { add(Event::Kind::EmptyCache, 0); }
void Tape::end_forward() { add(Event::Kind::ForwardEnds, 0); }
void Tape::end_step() { add(Event::Kind::StepEnds, step_); }

void Tape::begin_step(int step) {
  step_ = step;
  step_event_ = recording_.events.size();
  step_allocation_ = recording_.allocations.size();
  step_alive_ = 0;
  step_freed_older_ = false;
  recording_.kernels.clear();
  add(Event::Kind::StepBegins, step);
}

void Tape::repeat_step(int step) {
  const std::size_t first_event = step_event_, first = step_allocation_;
  const std::size_t end_event = recording_.events.size(), end = recording_.allocations.size();
  step_ = step;
  step_event_ = end_event;
  step_allocation_ = end;
  recording_.allocations.reserve(end + end - first);
  for (std::size_t i = first; i < end; ++i)
    recording_.allocations.push_back(recording_.allocations[i]);
  recording_.events.reserve(end_event + end_event - first_event);
  for (std::size_t i = first_event; i < end_event; ++i) {
    Event event = recording_.events[i];
    if (event.kind == Event::Kind::Allocate || event.kind == Event::Kind::Free)
      event.subject += static_cast<int>(end - first);
    if (event.kind == Event::Kind::StepBegins || event.kind == Event::Kind::StepEnds)
      event.subject = step;
    recording_.events.push_back(event);
  }
}

void Tape::note(std::string what) {
  auto& notes = recording_.notes;
  if (std::find(notes.begin(), notes.end(), what) == notes.end()) notes.push_back(std::move(what));
}

void Tape::launch(std::string_view kernel, DType dtype, double flops, double bytes) {
  if (muted_) return;
  recording_.kernels.push_back({kernel, phase_, dtype, flops, bytes});
}

void Tape::enter(Phase phase, std::string_view doing, std::string_view owner, std::string_view op) {
  phase_ = phase;
  if (muted_) return;
  op_ = static_cast<int>(recording_.ops.size());
  const int where = index_of(owner);
  owner_ = owner.empty() ? -1 : where;
  recording_.ops.push_back({doing, where, op, {}});
}

void Tape::enter(Phase phase, std::string op) {
  phase_ = phase;
  owner_ = -1;
  refine(std::move(op));
}

int Tape::index_of(std::string_view name) {
  if (owner_ >= 0 && recording_.name(owner_) == name) return owner_;
  if (const auto known = names_.find(name); known != names_.end()) return known->second;
  const auto index = static_cast<int>(recording_.names.size());
  names_.emplace(recording_.names.emplace_back(name), index);
  return index;
}

void Tape::refine(std::string op) {
  if (muted_) return;
  op_ = static_cast<int>(recording_.ops.size());
  recording_.ops.push_back({{}, -1, {}, std::move(op)});
}

}  // namespace forerun::ops
