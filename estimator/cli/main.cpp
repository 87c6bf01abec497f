#include <fmt/format.h>

#include <cstdio>

#include "cli/options/options.h"
#include "core/spec.h"
#include "estimator/devices/device.h"
#include "estimator/pipeline/estimate.h"
#include "estimator/pipeline/stages.h"
#include "estimator/pipeline/trace.h"

int main(int argc, char** argv) {
  using namespace forerun;
  std::vector<Spec> specs;
  for (int i = 1; i < argc; ++i) {
    auto s = read_spec(argv[i]);
    if (!s) return cli::complain("forerun estimate", s.error());
    specs.push_back(*s);
  }
  auto device = devices::find(specs[0].gpu);
  if (!device) return cli::complain("x", device.error());
  if (getenv("TRACE")) {
    auto st = pipeline::build_stages(pipeline::history(specs, specs.size() - 1), specs.back(), *device);
    if (!st) return cli::complain("x", st.error());
    fmt::print("{}\n{}", graph::print(st->graph), pipeline::print(st->recording));
    return 0;
  }
  auto e = pipeline::estimate(specs, *device);
  if (!e) return cli::complain("x", e.error());
  for (auto& x : *e) {
    for (auto& s : x.memory.steps) fmt::print("{} {} {}\n", s.peak_allocated_bytes, s.peak_reserved_bytes, s.end_allocated_bytes);
    fmt::print("{} {}\n", x.memory.peaks[0].phase, x.memory.peaks[0].op);
  }
}
