// What happened how often, and where: waits for the device, reads of computed values, copies,
// collectives, kernels, matrix products.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verifier/dryrun/call_sites.h"
#include "verifier/dryrun/log_reader.h"
#include "verifier/dryrun/moments.h"

namespace forerun::dryrun {

struct Happening {
  Place place;
  std::string what;  // "cudaStreamSynchronize", "to the device, pageable, waits"
  std::int64_t count = 0, bytes = 0, flops = 0;  // of what was kept of the whole run
  std::int64_t first_step = 0;                   // of `count`: in step 1, setting up included
  // Medians of the later steps that were kept whole; nullopt when there is none.
  std::optional<std::int64_t> count_per_step, bytes_per_step, flops_per_step;
};

// What an event counts as; nullopt: not at all.
struct Counted {
  std::string what;
  std::int64_t bytes = 0, flops = 0;
  bool by_place = true;
};
using Selector = std::function<std::optional<Counted>(const EmuEvent&)>;

// Most often a step first, then most often at all.
std::vector<Happening> happenings(const ProcessLog& log, const Moments& moments, CallSites& sites,
                                  const Selector& select);

std::vector<Happening> waits_of(const ProcessLog&, const Moments&, CallSites&);
std::vector<Happening> computed_reads_of(const ProcessLog&, const Moments&, CallSites&);
std::vector<Happening> copies_of(const ProcessLog&, const Moments&, CallSites&);
std::vector<Happening> collectives_of(const ProcessLog&, const Moments&, CallSites&);
std::vector<Happening> kernels_of(const ProcessLog&, const Moments&, CallSites&);
std::vector<Happening> gemms_of(const ProcessLog&, const Moments&, CallSites&);

// 2 m n k of every product of a batch, the usual count of multiplications and additions.
std::int64_t gemm_flops(const EmuEvent& gemm);
// "4096 x 1024 x 512 bf16", the batch in front when there is one.
std::string gemm_text(const EmuEvent& gemm);
// "to the device, pageable, waits"
std::string copy_text(const EmuEvent& copy);

std::int64_t median(std::vector<std::int64_t> values);  // the lower one of two; 0 of none

}  // namespace forerun::dryrun
