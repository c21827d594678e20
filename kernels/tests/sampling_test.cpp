#include "common/sampling.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

// Feeds the samples in turn (the last one again and again) and returns how many the rule asked for.
std::size_t feed(StoppingRule& rule, const std::vector<double>& samples, double seconds) {
  std::size_t taken = 0;
  while (rule.wants_more() && taken < 1000) {
    rule.add(samples[std::min(taken, samples.size() - 1)], seconds);
    ++taken;
  }
  return taken;
}

TEST(Sampling, SteadyPartStartsAfterTheRamp) {
  const WarmUp warm_up{3, 0.02};
  EXPECT_EQ(steady_from({60, 80, 95, 100, 101, 100}, warm_up), 3u);
  EXPECT_EQ(steady_from({100, 101, 100}, warm_up), 0u);
  EXPECT_EQ(steady_from({100, 90, 80, 70}, warm_up), 4u);
  EXPECT_EQ(steady_from({100, 100}, warm_up), 2u);
}

TEST(Sampling, StopsOnceThePrecisionIsReached) {
  StoppingRule rule(5, 100, 0.01, 1000);
  // A 95 % interval needs six samples, however well they agree.
  EXPECT_EQ(feed(rule, {100}, 0.1), 6u);
  EXPECT_DOUBLE_EQ(rule.summary().value, 100);
  EXPECT_EQ(rule.summary().samples, 6u);
}

TEST(Sampling, GoesOnWhileTheIntervalIsWide) {
  StoppingRule rule(5, 40, 0.01, 1000, {1, 1.0});
  std::vector<double> noisy;
  for (int i = 0; i < 100; ++i) noisy.push_back(i % 2 == 0 ? 90 : 110);
  EXPECT_EQ(feed(rule, noisy, 0.1), 40u);
}

TEST(Sampling, WarmUpIsDroppedFromTheSummary) {
  StoppingRule rule(5, 100, 0.01, 1000);
  feed(rule, {50, 70, 100}, 0.1);
  EXPECT_TRUE(rule.is_steady());
  EXPECT_EQ(rule.dropped(), 2u);
  EXPECT_DOUBLE_EQ(best(rule.steady_samples(), Better::Lower), 100);
  EXPECT_DOUBLE_EQ(best(rule.all_samples(), Better::Lower), 50);
}

TEST(Sampling, BudgetStopsBeforeItIsOverrun) {
  StoppingRule rule(2, 100, 0, 1.0, {1, 1.0});
  EXPECT_EQ(feed(rule, {90, 110}, 0.3), 3u);
  EXPECT_LE(rule.spent_seconds(), 1.0);
}

TEST(Sampling, MinimumIsTakenWhateverItCosts) {
  StoppingRule rule(3, 100, 0.01, 1.0);
  EXPECT_EQ(feed(rule, {100}, 50), 3u);
}

TEST(Sampling, NeverSteadyKeepsEverySample) {
  StoppingRule rule(5, 8, 0.01, 1000);
  EXPECT_EQ(feed(rule, {10, 20, 30, 40, 50, 60, 70, 80}, 0.1), 8u);
  EXPECT_FALSE(rule.is_steady());
  EXPECT_EQ(rule.summary().samples, 8u);
}

}  // namespace
}  // namespace assay
