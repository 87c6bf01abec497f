// What the estimator predicts and what the verifier measures, in one shape. Fields end in their
// unit; every total is the sum of listed parts (tests add them up). The JSON, text and HTML reports
// are renderings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace forerun {

struct Part {            // one named share of a total
  std::string what;      // "fc1.weight", "relu1 output", "cublas workspace (backward thread)"
  std::string category;  // parameters | gradients | optimizer_state | activations | workspaces |
                         // data | temporaries | slack
  std::int64_t bytes = 0;
};

struct StepMemory {
  std::int64_t peak_allocated_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;
  std::int64_t end_allocated_bytes = 0;
};

// The instant the peak of a step is reached and what was alive then.
struct Peak {
  int step = 1;             // 1-based
  std::string phase;        // forward | backward | optimizer
  std::string op;           // "backward of linear 2: bias gradient sum([65536, 1024])"
  std::vector<Part> alive;  // largest first; adds up to the step's peak_allocated_bytes
};

// Where a card that is too small stops the run, and what PyTorch says then.
struct OutOfMemoryAt {
  int step = 0;  // 1-based; 0: before the first, or in a spec that ran before
  std::string phase;
  std::string op;
  std::string what;     // the allocation that did not fit
  std::string message;  // OutOfMemoryError's
};

struct MemoryEstimate {
  std::int64_t parameter_count = 0;
  std::int64_t parameters_bytes = 0;
  std::int64_t gradients_bytes = 0;
  std::int64_t optimizer_state_bytes = 0;
  std::vector<Part> activations;  // saved for backward, by layer
  std::int64_t activations_bytes = 0;
  std::vector<Part> workspaces;  // by library
  std::int64_t workspaces_bytes = 0;
  std::int64_t peak_allocated_bytes = 0;  // the largest of the steps
  std::int64_t peak_reserved_bytes = 0;
  std::int64_t context_bytes = 0;              // outside the allocator
  std::vector<StepMemory> steps;               // the first three
  std::vector<Peak> peaks;                     // one a step
  bool fits = true;                            // peak_reserved + context against the GPU's memory
  std::int64_t headroom_bytes = 0;             // negative when it does not fit
  std::optional<OutOfMemoryAt> out_of_memory;  // when it does not fit
};

struct TimeInterval {
  double low_s = 0;
  double expected_s = 0;
  double high_s = 0;
};

struct TimeEstimate {
  TimeInterval forward, backward, optimizer, step;
  double flops = 0;                             // of one step
  double bytes = 0;                             // moved through memory in one step
  std::string bound_by;                         // "compute" | "memory" | "launch"
  double mfu = 0;                               // model FLOPs utilisation, 0..1
  std::string confidence;                       // "rough: ..." in words
  std::optional<std::int64_t> steps_per_epoch;  // batches: ceil(dataset_size / batch_size)
  std::optional<std::int64_t>
      optimizer_steps;  // of the whole run: one every gradient_accumulation_steps batches
  std::optional<TimeInterval> run;
};

struct Estimate {
  std::string spec_path, gpu, framework;
  std::string allocator;  // options that are not the defaults, as PYTORCH_CUDA_ALLOC_CONF has them
  MemoryEstimate memory;
  TimeEstimate time;
  std::vector<std::string> unmodelled;  // said aloud; an empty list means everything was modelled
};

struct Measurement {
  std::string spec_path, device;  // cuda | emulated | cpu
  std::string device_name, framework;
  std::int64_t parameter_count = 0;
  std::int64_t parameters_bytes = 0;
  std::vector<StepMemory> steps;
  std::vector<std::string> notes;  // what this device cannot tell (cpu: no caching allocator)
};

struct Comparison {
  std::string what;  // "steps[1].peak_allocated_bytes"
  std::int64_t predicted = 0;
  std::int64_t measured = 0;
  double error = 0;  // (predicted - measured) / measured
  double tolerance = 0;
  bool ok = false;
};

}  // namespace forerun
