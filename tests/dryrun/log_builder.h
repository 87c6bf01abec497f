// Fills a process's area of the event log by hand, the way the emulator's libraries do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "verifier/dryrun/event_log.h"
#include "verifier/dryrun/log_reader.h"

namespace forerun::test {

class LogBuilder {
 public:
  LogBuilder() : area_(static_cast<EmuProcessLog*>(std::calloc(1, sizeof(EmuProcessLog)))) {
    area_->pid = 42;
    area_->names = 1;
    area_->sites = 1;
    area_->text_bytes = 1;
  }

  EmuProcessLog& area() { return *area_; }
  dryrun::ProcessLog read() const { return dryrun::read_process(*area_); }

  std::uint32_t name(const std::string& text) {
    if (text.empty()) return 0;
    const auto [at, is_new] = names_.try_emplace(text, area_->names);
    if (!is_new) return at->second;
    area_->name_at[area_->names] = area_->text_bytes;
    std::memcpy(area_->text + area_->text_bytes, text.c_str(), text.size() + 1);
    area_->text_bytes += static_cast<std::uint32_t>(text.size()) + 1;
    return area_->names++;
  }

  std::uint32_t site(const std::string& file, std::uint32_t line, const std::string& function,
                     std::uint32_t caller = 0, std::uint64_t offset = 0) {
    EmuSite& site = area_->site[area_->sites];
    site.caller = caller;
    site.file = name(file);
    site.function = name(function);
    site.line = line;
    site.offset = offset;
    return area_->sites++;
  }

  void event(std::uint16_t kind, std::uint32_t site, std::uint64_t a = 0, std::uint64_t b = 0,
             std::uint64_t c = 0) {
    const std::uint64_t n = area_->events++;
    EmuEvent& at = n < EMU_LOG_FIRST_EVENTS
                       ? area_->first[n]
                       : area_->newest[(n - EMU_LOG_FIRST_EVENTS) % EMU_LOG_NEWEST_EVENTS];
    at = {n * 1000, kind, device, thread, site, a, b, c};
  }

  void allocate(std::uint64_t address, std::uint64_t bytes, std::uint32_t site = 0) {
    allocated_[address] = bytes;
    total_ += bytes;
    step_.allocated_peak_bytes = std::max(step_.allocated_peak_bytes, total_);
    ++step_.allocations;
    event(EMU_EVENT_ALLOC, site, address, bytes, total_);
  }
  void release(std::uint64_t address) {
    const std::uint64_t bytes = allocated_[address];
    allocated_.erase(address);
    total_ -= bytes;
    event(EMU_EVENT_FREE, 0, address, bytes, total_);
  }
  void backward(std::uint32_t site = 0) {
    thread = EMU_THREAD_AUTOGRAD;
    launch("backward_kernel", site);
    thread = EMU_THREAD_MAIN;
  }
  void launch(const std::string& kernel, std::uint32_t site = 0) {
    ++step_.launches;
    event(EMU_EVENT_LAUNCH, site, name(kernel), 1, 128);
  }
  void wait(std::uint32_t site) {
    ++step_.blocking_calls;
    event(EMU_EVENT_BLOCK, site, name("cudaStreamSynchronize"));
  }
  void end_step() {
    constexpr std::uint64_t half = EMU_LOG_STEPS / 2;
    const std::uint64_t n = area_->steps++;
    step_.number = n + 1;
    step_.allocated_end_bytes = total_;
    area_->step[n < half ? n : half + (n - half) % half] = step_;
    event(EMU_EVENT_STEP, 0, n + 1);
    step_ = EmuStep{};
    step_.allocated_peak_bytes = total_;
  }
  EmuStep& step() { return step_; }

  std::uint8_t device = 0, thread = EMU_THREAD_MAIN;

 private:
  struct Free {
    void operator()(EmuProcessLog* area) const { std::free(area); }
  };
  std::unique_ptr<EmuProcessLog, Free> area_;
  std::map<std::string, std::uint32_t> names_;
  std::map<std::uint64_t, std::uint64_t> allocated_;
  std::uint64_t total_ = 0;
  EmuStep step_{};
};

inline constexpr const char* kSite = "/usr/lib/python3.11/site-packages/";

}  // namespace forerun::test
