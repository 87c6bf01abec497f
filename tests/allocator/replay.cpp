// Replays recorded traces of PyTorch's allocator and compares every state with the simulation; see
// scripts/check_allocator_truth, which records them.
//
// usage: allocator_replay FILE
// A trace: "memory CAPACITY TOTAL" and "options TEXT" begin a device; then, one a line,
//   a ID BYTES STREAM   an allocation      r ID STREAM   record_stream
//   f ID                a free             e             empty_cache
// each followed by '|' and what PyTorch said: allocated, active, reserved, requested, segments,
// retries and, of an allocation, its address from the first one of all. "x ID BYTES STREAM | ... |
// MESSAGE" is an allocation that did not fit and what the exception says.
// exit status: 0 all states are equal, 1 one is not, 2 the file cannot be read
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>

#include "estimator/allocator/caching_allocator.h"
#include "estimator/allocator/out_of_memory.h"

namespace {

using forerun::allocator::CachingAllocator;
using forerun::allocator::Statistics;

class Replay {
 public:
  // Empty, or how the simulation differs after this line.
  std::string step(const std::string& line) {
    std::istringstream words(line);
    std::string op;
    words >> op;
    if (op == "memory") return begin(words);
    if (op == "options") return configure(line);
    if (allocator_ == nullptr)
      allocator_ = std::make_unique<CachingAllocator>(forerun::allocator::Memory(capacity_, total_),
                                                      options_);
    ++operations_;
    return operate(op, words, line);
  }
  long operations() const { return operations_; }
  long full() const { return full_; }
  long retries() const { return retries_; }

 private:
  std::string begin(std::istringstream& words) {
    words >> capacity_ >> total_;
    allocator_.reset();
    live_.clear();
    first_.reset();
    return "";
  }
  std::string configure(const std::string& line) {
    const auto read =
        forerun::parse_allocator_options(line.substr(std::min<std::size_t>(8, line.size())), {});
    if (!read) return forerun::to_string(read.error());
    options_ = *read;
    return "";
  }

  std::string operate(const std::string& op, std::istringstream& words, const std::string& line) {
    long id = 0;
    std::int64_t bytes = 0;
    unsigned stream = 0;
    CachingAllocator::Block* block = nullptr;
    if (op != "e") words >> id;
    if (op == "a" || op == "x") {
      words >> bytes >> stream;
      block = allocator_->allocate(bytes, stream);
      if ((block == nullptr) != (op == "x")) return block == nullptr ? "it is full" : "it fits";
      if (block != nullptr) live_[id] = block;
    } else if (op == "f") {
      allocator_->free(live_.at(id));
      live_.erase(id);
    } else if (op == "r") {
      words >> stream;
      allocator_->record_stream(live_.at(id), stream);
    } else {
      allocator_->empty_cache();
    }
    if (std::string problem = compare(words, block); !problem.empty()) return problem;
    if (op != "x") return "";
    ++full_;
    const std::string said = message(out_of_memory(*allocator_, bytes));
    const std::string wanted = line.substr(line.rfind("| ") + 2);
    return said == wanted ? "" : "it says: " + said;
  }

  std::string compare(std::istringstream& words, const CachingAllocator::Block* block) {
    std::string bar;
    Statistics want;
    words >> bar >> want.allocated_bytes >> want.active_bytes >> want.reserved_bytes >>
        want.requested_bytes >> want.segments >> want.retries;
    const Statistics& have = allocator_->statistics();
    retries_ = have.retries;
    std::ostringstream differs;
    const auto check = [&](const char* what, std::int64_t a, std::int64_t b) {
      if (a != b) differs << what << ' ' << a << " instead of " << b << "; ";
    };
    check("allocated", have.allocated_bytes, want.allocated_bytes);
    check("active", have.active_bytes, want.active_bytes);
    check("reserved", have.reserved_bytes, want.reserved_bytes);
    check("requested", have.requested_bytes, want.requested_bytes);
    check("segments", have.segments, want.segments);
    check("retries", have.retries, want.retries);
    if (block == nullptr) return differs.str();
    std::int64_t address = 0;
    words >> address;
    const auto own = static_cast<std::int64_t>(CachingAllocator::address(block));
    if (!first_) first_ = own;
    check("address", own - *first_, address);
    return differs.str();
  }

  std::int64_t capacity_ = 0, total_ = 0;
  forerun::AllocatorOptions options_;
  std::unique_ptr<CachingAllocator> allocator_;
  std::unordered_map<long, CachingAllocator::Block*> live_;
  std::optional<std::int64_t> first_;
  long operations_ = 0, full_ = 0, retries_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "");
  if (!file) {
    std::cerr << "usage: allocator_replay FILE\n";
    return 2;
  }
  Replay replay;
  long number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string problem = replay.step(line);
    if (problem.empty()) continue;
    std::cout << argv[1] << ':' << number << ": " << line << "\n  " << problem << '\n';
    return 1;
  }
  std::cout << replay.operations() << " operations, " << replay.full() << " out of memory, "
            << replay.retries() << " retries\n";
}
