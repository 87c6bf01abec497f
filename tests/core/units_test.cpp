#include "core/units.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/nearest.h"
#include "core/shape.h"

namespace forerun {
namespace {

TEST(Units, ArithmeticNoticesOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(checked_mul(1ll << 31, 1ll << 31), 1ll << 62);
  EXPECT_FALSE(checked_mul(1ll << 32, 1ll << 31).has_value());
  EXPECT_FALSE(checked_add(kMost, 1).has_value());
  EXPECT_FALSE(checked_mul(-1, 1).has_value());
  EXPECT_FALSE(numel({1ll << 40, 1ll << 40}).has_value());
  EXPECT_EQ(numel({}), 1);
}

TEST(Units, BytesAsPeopleReadThem) {
  EXPECT_EQ(with_thousands(1'972'996'096), "1,972,996,096");
  EXPECT_EQ(with_thousands(-1'000), "-1,000");
  EXPECT_EQ(format_bytes(1'972'996'096), "1881.6 MiB");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_seconds(938.4), "15.6 min");
}

TEST(Units, BytesAsACommandLineTakesThem) {
  EXPECT_EQ(parse_bytes("80GiB"), 80ll << 30);
  EXPECT_EQ(parse_bytes("8,192 B"), 8192);
  EXPECT_FALSE(parse_bytes("GiB").has_value());
  EXPECT_FALSE(parse_bytes("12 parsecs").has_value());
}

TEST(Nearest, OffersOnlyWhatIsClose) {
  EXPECT_EQ(nearest("precison", {"precision", "optimizer"}), "precision");
  EXPECT_FALSE(nearest("xyz", {"precision", "optimizer"}).has_value());
}

}  // namespace
}  // namespace forerun
