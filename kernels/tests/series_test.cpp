#include "common/series.hpp"

#include <set>

#include <gtest/gtest.h>

namespace assay::series {
namespace {

TEST(Series, TakesEveryValueOnceInAPeriod) {
  std::set<double> values;
  for (std::uint64_t i = 0; i < kPeriod; ++i) {
    const double value = element(12345 + i);
    EXPECT_GT(value, 0);
    EXPECT_LT(value, 1);
    values.insert(value);
  }
  EXPECT_EQ(values.size(), kPeriod);
}

TEST(Series, SumInClosedFormIsTheSumOfTheElements) {
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{777}, std::uint64_t{1} << 31}) {
    double sum = 0;
    for (std::uint64_t i = first; i < first + 3 * kPeriod / 2; ++i) sum += element(i);
    EXPECT_EQ(exact_sum(first, 3 * kPeriod / 2), sum);
  }
}

TEST(Series, SumsAreExactUpToTheLargestNumberOfElements) {
  // One element more or less, and the last bit of one element, change the sum.
  const double all = exact_sum(0, kMostElements);
  EXPECT_EQ(all, 0x1p31);
  EXPECT_EQ(all - exact_sum(0, kMostElements - 1), element(kMostElements - 1));
}

TEST(Series, SumsOfPartsAddUp) { EXPECT_EQ(exact_sum(0, 5000) + exact_sum(5000, 123456789), exact_sum(0, 123461789)); }

}  // namespace
}  // namespace assay::series
