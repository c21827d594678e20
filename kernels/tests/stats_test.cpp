#include "common/stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

TEST(Stats, MedianOfOddEvenAndNoSamples) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Stats, PercentileInterpolatesLikeNumPy) {
  // numpy.percentile([15, 20, 35, 40, 50], [0, 5, 40, 75, 100])
  const std::vector<double> xs = {50, 15, 40, 20, 35};
  EXPECT_DOUBLE_EQ(percentile(xs, 0), 15);
  EXPECT_DOUBLE_EQ(percentile(xs, 5), 16);
  EXPECT_DOUBLE_EQ(percentile(xs, 40), 29);
  EXPECT_DOUBLE_EQ(percentile(xs, 75), 40);
  EXPECT_DOUBLE_EQ(percentile(xs, 100), 50);
}

TEST(Stats, MadIgnoresOneOutlier) { EXPECT_DOUBLE_EQ(mad({1, 1, 2, 2, 4, 6, 900}), 1); }

TEST(Stats, SpreadIsScaledMadOverMedian) {
  EXPECT_DOUBLE_EQ(relative_spread({98, 99, 100, 101, 102}), 1.4826 / 100);
  EXPECT_DOUBLE_EQ(relative_spread({7}), 0);
  EXPECT_DOUBLE_EQ(relative_spread({0, 0, 0}), 0);
  EXPECT_TRUE(std::isinf(relative_spread({-1, 0, 1})));
}

TEST(Stats, BestFollowsTheDirection) {
  EXPECT_DOUBLE_EQ(best({2, 3, 1}, Better::Higher), 3);
  EXPECT_DOUBLE_EQ(best({2, 3, 1}, Better::Lower), 1);
}

TEST(Stats, OutliersLieFarFromTheRest) {
  std::vector<double> calm(60, 4400);
  EXPECT_EQ(outliers(calm), 0u);
  for (const double small : {4380.0, 4420.0, 4200.0}) calm.push_back(small);
  EXPECT_EQ(outliers(calm), 0u) << "below 5 % a sample is not far off, however calm the others are";
  for (const double far : {4100.0, 2900.0, 4700.0}) calm.push_back(far);
  EXPECT_EQ(outliers(calm), 3u);
  EXPECT_EQ(outliers({8, 10, 12, 9, 11, 15}), 0u) << "noisy samples have no outlier";
  EXPECT_EQ(outliers({}), 0u);
}

TEST(Stats, ASummaryTellsHowItsSamplesLie) {
  const auto summary = summarize({100, 101, 99, 100, 50});
  ASSERT_TRUE(summary.distribution);
  EXPECT_DOUBLE_EQ(summary.distribution->min, 50);
  EXPECT_DOUBLE_EQ(summary.distribution->mean, 90);
  EXPECT_DOUBLE_EQ(summary.distribution->p95, 100.8);
  EXPECT_EQ(summary.distribution->outliers, 1u);
  const auto in_other_unit = rescaled(summary, 10);
  EXPECT_DOUBLE_EQ(in_other_unit.value, 1000);
  EXPECT_DOUBLE_EQ(in_other_unit.distribution->min, 500);
  EXPECT_DOUBLE_EQ(in_other_unit.spread, summary.spread);
  EXPECT_FALSE(summarize({1, std::numeric_limits<double>::infinity()}).distribution) << "a document has no infinite numbers";
}

// Ranks and coverages of the exact binomial, as tabulated for the sign test.
TEST(Stats, MedianIntervalHasKnownRanksAndCoverage) {
  const auto ranks = [](std::size_t n) {
    std::vector<double> xs;
    for (std::size_t i = n; i > 0; --i) xs.push_back(static_cast<double>(i));
    return median_interval(xs, 0.95);
  };
  EXPECT_DOUBLE_EQ(ranks(6).low, 1);
  EXPECT_DOUBLE_EQ(ranks(6).high, 6);
  EXPECT_NEAR(ranks(6).confidence, 0.96875, 1e-9);
  EXPECT_DOUBLE_EQ(ranks(10).low, 2);
  EXPECT_DOUBLE_EQ(ranks(10).high, 9);
  EXPECT_NEAR(ranks(10).confidence, 0.978515625, 1e-9);
  EXPECT_DOUBLE_EQ(ranks(20).low, 6);
  EXPECT_DOUBLE_EQ(ranks(20).high, 15);
  EXPECT_NEAR(ranks(20).confidence, 0.958610535, 1e-9);
}

TEST(Stats, MedianIntervalOfTooFewSamplesSaysWhatItCovers) {
  const Interval three = median_interval({5, 9, 7});
  EXPECT_DOUBLE_EQ(three.low, 5);
  EXPECT_DOUBLE_EQ(three.high, 9);
  EXPECT_NEAR(three.confidence, 0.75, 1e-9);
  EXPECT_DOUBLE_EQ(median_interval({5}).confidence, 0);
  EXPECT_TRUE(std::isnan(median_interval({}).low));
}

}  // namespace
}  // namespace assay
