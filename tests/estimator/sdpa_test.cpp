// What attention allocates, against what PyTorch 2.11 allocated on the emulated device for the same
// operands: sdpa_truth.json has the bytes alive after each allocation, forward and backward (of
// torch.autograd.grad of every operand; without cuBLAS's workspaces).
#include "estimator/ops/sdpa.h"

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "estimator/autograd/engine.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

using Json = nlohmann::json;

DType dtype_of(const Json& row) {
  const std::string name = row["dtype"];
  return name == "fp32" ? DType::Float32 : name == "fp16" ? DType::Float16 : DType::BFloat16;
}

struct Case {
  explicit Case(const Json& row) : device(*devices::find(row["gpu"])), run(tape, device) {
    const std::int64_t heads = row["heads"], head = row["head"];
    const std::int64_t kv_heads = row.value("kv_heads", heads);
    const DType dtype = dtype_of(row);
    make(0, {row["batch"], row["queries"], heads, head}, dtype, true);
    make(1, {row["batch"], row["keys"], kv_heads, head}, dtype, true);
    make(2, {row["batch"], row["keys"], kv_heads, row.value("value_head", head)}, dtype, true);
    const std::string mask = row.value("mask", "");
    if (!mask.empty())
      make(3, row["mask_shape"].get<Shape>(), mask == "bool" ? DType::Bool : dtype, mask == "bias");
    if (row.value("autocast", false)) run.autocast = DType::BFloat16;
  }
  void make(std::size_t i, const Shape& shape, DType dtype, bool trains) {
    operands[i].value = run.empty(shape, dtype, Category::Parameters, "operand");
    if (trains) autograd::require_grad(operands[i]);
  }
  // The bytes alive after each allocation since `from`; those of before do not count.
  std::vector<std::int64_t> alive(std::size_t from) const {
    const Recording& all = tape.recording();
    std::vector<std::int64_t> made;
    for (std::size_t i = start; i < all.events.size(); ++i) {
      const Event& event = all.events[i];
      const Allocation& one = all.allocations[static_cast<std::size_t>(event.subject)];
      if (one.category == Category::Workspaces || event.subject < first) continue;
      const bool allocates = event.kind == Event::Kind::Allocate;
      live_ += allocates ? one.bytes : -one.bytes;
      if (allocates && i >= from) made.push_back(live_);
    }
    live_ = 0;
    return made;
  }

  devices::Device device;
  Tape tape;
  Runtime run;
  std::array<autograd::Parameter, 4> operands;
  std::size_t start = 0;
  int first = 0;
  mutable std::int64_t live_ = 0;
};

void expect_the_same(const Json& row) {
  SCOPED_TRACE(row["name"].get<std::string>() + ", " + row["dtype"].get<std::string>() + ", " +
               row["gpu"].get<std::string>());
  Case one(row);
  Tensors seen;
  for (int i = 0; i < 3; ++i) seen.push_back(transpose(one.run, one.operands[i].value, 1, 2));
  const DType low = one.run.autocast.value_or(dtype_of(row));
  Tensor seed;
  {
    Shape shape{row["batch"], row["queries"], row["heads"], row.value("value_head", row["head"])};
    const Tensor made = one.run.empty(shape, low, Category::Data, "seed");
    seed = transpose(one.run, made, 1, 2);
  }
  one.tape.enter(Phase::Forward, "attention");
  one.start = one.tape.recording().events.size();
  one.first = static_cast<int>(one.tape.recording().allocations.size());
  const Tensor y = sdpa(one.run, seen[0], seen[1], seen[2], one.operands[3].value,
                        {row.value("dropout", 0.0), row.value("causal", false)});
  EXPECT_EQ(one.alive(one.start), row["forward"].get<std::vector<std::int64_t>>());
  one.run.leave_autocast();
  const std::size_t backward = one.tape.recording().events.size();
  ASSERT_TRUE(autograd::backward(one.run, y, seed));
  EXPECT_EQ(one.alive(backward), row["backward"].get<std::vector<std::int64_t>>());
}

TEST(Attention, AllocatesWhatPyTorchAllocates) {
  std::ifstream file(FORERUN_SOURCE_DIR "/tests/estimator/sdpa_truth.json");
  const Json rows = Json::parse(file);
  ASSERT_EQ(rows.size(), 46u);
  for (const Json& row : rows) expect_the_same(row);
}

}  // namespace
}  // namespace forerun::ops
