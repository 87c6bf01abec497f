// What a simulated run leaves behind: every allocation and free in order, and every kernel
// launched.
//
// The tape knows nothing about how an allocator answers; it only keeps the order in which PyTorch
// asks.
#pragma once

#include <cstdint>
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
  std::string what;  // "relu 1 output"
  int owner = -1;    // index into Recording::owners of the layer it belongs to, -1: none
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
  int step = 0;
};

struct Recording {
  std::vector<Allocation> allocations;
  std::vector<Event> events;
  std::vector<Kernel> kernels;
  std::vector<std::string> ops;     // "backward of linear 2"
  std::vector<std::string> owners;  // "linear 2"
  std::vector<std::string> notes;   // what is left out
};

class Tape {
 public:
  static constexpr int kNothing = -1;  // what allocate gives for 0 bytes
  int allocate(std::int64_t bytes, Category category, std::string what);
  void free(int allocation);
  void empty_cache();
  void begin_step(int step);
  void end_forward();
  void end_step();
  // Something the figures leave out, in words; once each.
  void note(std::string what);
  void launch(std::string_view kernel, DType dtype, double flops, double bytes);

  // What is running, until the next call; owner is the layer it runs for ("" for none).
  void enter(Phase phase, std::string op, std::string_view owner);
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
  int owner_of(std::string_view layer);

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  Recording recording_;
  std::unordered_map<std::string, int, Hash, std::equal_to<>> owners_;  // places in it
  Phase phase_ = Phase::Setup;
  int op_ = -1;
  int owner_ = -1;
  int step_ = 0;
  bool closed_ = false;
  bool muted_ = false;
};

}  // namespace forerun::ops
