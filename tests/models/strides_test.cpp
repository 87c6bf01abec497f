// Layouts as PyTorch gives them: the expectations are what torch 2.11 prints for .stride().
#include "estimator/ops/strides.h"

#include <gtest/gtest.h>

namespace forerun::ops {
namespace {

Tensor tensor(Shape shape, Shape strides) {
  Tensor made;
  made.strides = normalised(shape, std::move(strides));
  made.shape = std::move(shape);
  return made;
}

TEST(Strides, ContiguousOnesAreEmpty) {
  EXPECT_TRUE(is_contiguous(tensor({2, 3}, {3, 1})));
  EXPECT_TRUE(is_contiguous(tensor({2, 1, 3}, {3, 99, 1})));
  EXPECT_FALSE(is_contiguous(tensor({3, 2}, {1, 3})));
}

TEST(Strides, ViewsThatNeedNoCopy) {
  const Tensor heads = tensor({2, 8, 5, 4}, {160, 4, 32, 1});  // [2, 5, 8, 4].transpose(1, 2)
  EXPECT_EQ(view_strides(heads, {2, 40, 4}), std::nullopt);
  EXPECT_EQ(view_strides(heads, {2, 8, 5, 2, 2}), (Shape{160, 4, 32, 2, 1}));
  const Tensor back = tensor({2, 5, 8, 4}, {160, 32, 4, 1});
  EXPECT_EQ(view_strides(back, {2, 5, 32}), (Shape{}));
}

TEST(Strides, PointwiseResultsFollowTheirOperands) {
  const Tensor heads = tensor({2, 8, 5, 4}, {160, 4, 32, 1});
  const Tensor cosine = tensor({1, 1, 5, 4}, {20, 20, 4, 1});
  EXPECT_EQ(iterator_strides({2, 8, 5, 4}, {&heads, &cosine}), (Shape{160, 4, 32, 1}));
  const Tensor turned = tensor({3, 2}, {1, 3});
  EXPECT_EQ(iterator_strides({3, 2}, {&turned}), (Shape{1, 3}));
}

TEST(Strides, DenseIsEveryElementOnce) {
  EXPECT_TRUE(is_dense(tensor({3, 2}, {1, 3})));
  EXPECT_FALSE(is_dense(tensor({3, 2}, {4, 1})));
  EXPECT_FALSE(is_dense(tensor({3, 2}, {0, 1})));
}

TEST(Strides, Broadcasting) {
  EXPECT_EQ(broadcast({2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
  EXPECT_EQ(broadcast({2, 3}, {4, 3}), std::nullopt);
  EXPECT_EQ(fill_in({-1, 4}, 12), (Shape{3, 4}));
  EXPECT_EQ(fill_in({-1, 5}, 12), std::nullopt);
}

}  // namespace
}  // namespace forerun::ops
