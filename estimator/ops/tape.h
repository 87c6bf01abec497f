// What a simulated run leaves behind: every allocation and free in order, and every kernel
// launched.
//
// The tape knows nothing about how an allocator answers; it only keeps the order in which PyTorch
// asks.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/dtype.h"

namespace forerun::ops {

// Whose bytes they are; the names are those of core/report.h's Part::category.
enum class Category {
  Parameters,
  Gradients,
  OptimizerState,
  Activations,
  Workspaces,
  Data,
  Temporaries
};
std::string_view name(Category category);

enum class Phase { Setup, Forward, Backward, Optimizer };
std::string_view name(Phase phase);

struct Allocation {
  std::int64_t bytes = 0;  // as requested, before the allocator rounds
  Category category = Category::Temporaries;
  // Indices into Recording::names, -1: none.
  int where = -1;  // "relu 1"
  int what = -1;   // "output"
  int owner = -1;  // the layer it belongs to
};

// What was running: "<doing> of <where>: <op>", or a text where there is nothing done to a layer.
struct Operation {
  std::string_view doing;  // "backward"
  int where = -1;          // index into Recording::names
  std::string_view op;     // "addmm"
  std::string text;
};

struct Event {
  enum class Kind {
    Allocate,     // subject: index into Recording::allocations
    Free,         // subject: the same
    EmptyCache,   // torch.cuda.empty_cache()
    StepBegins,   // torch.cuda.reset_peak_memory_stats(); subject: step, 1-based
    ForwardEnds,  // everything alive now and saved by autograd waits for its backward
    StepEnds,
  };
  Kind kind = Kind::Allocate;
  int subject = 0;
  int op = -1;  // index into Recording::ops: what was running
  Phase phase = Phase::Setup;
};

// One launch on the device, for the time estimate. A launch with no FLOPs is bound by the bytes it
// moves.
struct Kernel {
  std::string_view name;  // ATen's: "addmm"
  Phase phase = Phase::Setup;
  DType dtype = DType::Float32;  // the arithmetic of a matrix product
  double flops = 0;
  double bytes = 0;
};

// Names are kept once and put together when somebody reads them: a long run has a million, a report
// a hundred.
struct Recording {
  std::vector<Allocation> allocations;
  std::vector<Event> events;
  std::vector<Kernel> kernels;  // of the last step
  std::vector<Operation> ops;
  std::deque<std::string> names;
  std::vector<std::string> notes;  // what is left out

  const std::string& name(int index) const { return names[static_cast<std::size_t>(index)]; }
  std::string text(const Allocation& made) const;  // "relu 1 output"
  // "backward of linear 2: addmm"; "" for an event outside of every operation.
  std::string op_text(int op) const;
};

class Tape {
 public:
  static constexpr int kNothing = -1;  // what allocate gives for 0 bytes
  // It is called "<where> <what>", or only `what` where `where` is empty.
  int allocate(std::int64_t bytes, Category category, std::string_view where,
               std::string_view what);
  void free(int allocation);
  void empty_cache();
  void begin_step(int step);
  // The step that ended last freed all that it allocated and nothing older.
  bool step_left_no_trace() const { return step_alive_ == 0 && !step_freed_older_; }
  // The events of the step that ended last once more, as step `step`.
  void repeat_step(int step);
  void end_forward();
  void end_step();
  // Something the figures leave out, in words; once each.
  void note(std::string what);
  void launch(std::string_view kernel, DType dtype, double flops, double bytes);

  // What is running, until the next call: "<doing> of <owner>: <op>" (doing and op outlive the
  // tape), or something of no layer.
  void enter(Phase phase, std::string_view doing, std::string_view owner, std::string_view op);
  void enter(Phase phase, std::string op);
  Phase phase() const { return phase_; }
  void refine(std::string op);  // a finer name for the part of the op that follows
  int owner() const { return owner_; }

  // From here on nothing is written down: shapes are asked for, not a run.
  void mute() { muted_ = true; }
  // Frees after this are the process ending, not the run.
  void close() { closed_ = true; }
  const Recording& recording() const { return recording_; }
  Recording take() { return std::move(recording_); }

 private:
  void add(Event::Kind kind, int subject);
  int index_of(std::string_view name);

  Recording recording_;
  std::unordered_map<std::string_view, int> names_;  // places in its names
  Phase phase_ = Phase::Setup;
  int op_ = -1;
  int owner_ = -1;
  int step_ = 0;
  std::size_t step_event_ = 0;       // where the step begins
  std::size_t step_allocation_ = 0;  // its first
  std::int64_t step_alive_ = 0;      // allocations of the step not freed yet
  bool step_freed_older_ = false;
  bool closed_ = false;
  bool muted_ = false;
};

}  // namespace forerun::ops
