#include "common/scaling.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include <set>

#include "burn/history.hpp"

namespace assay {
namespace {

TEST(TeamSizes, DoubleUpToAllGpus) {
  EXPECT_EQ(team_sizes(1), (std::vector<int>{1}));
  EXPECT_EQ(team_sizes(4), (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(team_sizes(6), (std::vector<int>{1, 2, 4, 6}));
  EXPECT_TRUE(team_sizes(0).empty());
}

TEST(ScalingEfficiency, IsOneWhenTheRateGrowsWithTheGpus) {
  EXPECT_DOUBLE_EQ(scaling_efficiency(40, 4, 10), 1);
  EXPECT_DOUBLE_EQ(scaling_efficiency(30, 4, 10), 0.75);
}

TEST(Shares, CoverEverythingOnce) {
  for (const std::size_t parts : {1U, 3U, 8U}) {
    EXPECT_EQ(share_begin(100, parts, 0), 0U);
    EXPECT_EQ(share_begin(100, parts, parts), 100U);
  }
  EXPECT_EQ(share_begin(10, 3, 1), 3U);
}

TEST(Scaling, LeavesTheEfficiencyOutForOneGpu) {
  Scaling scaling;
  scaling.add(1, {10, 5, 0.01});
  Document doc("test");
  scaling.report(doc, "rate", "GB/s");
  std::ostringstream out;
  EXPECT_EQ(doc.finish(out), 0);
  EXPECT_EQ(out.str().find("scalingEfficiency"), std::string::npos);
}

TEST(Scaling, ReportsRatesAndEfficiencies) {
  Scaling scaling;
  scaling.add(1, {10, 5, 0.01});
  scaling.add(2, {18, 5, 0.01});
  Document doc("test");
  scaling.report(doc, "rate", "GB/s");
  std::ostringstream out;
  EXPECT_EQ(doc.finish(out), 0);
  EXPECT_NE(out.str().find("\"at\":\"2gpu\",\"value\":18.0"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("\"at\":\"2gpu\",\"value\":0.9"), std::string::npos) << out.str();
}

TEST(BurnHistory, SustainedRateIsThatOfTheSecondHalf) {
  const std::vector<burn::Window> windows{{0, 2, 700}, {2, 4, 690}, {4, 6, 660}, {6, 8, 661}, {8, 10, 662}};
  EXPECT_DOUBLE_EQ(burn::sustained_rate(windows, 10).value, 661.5);
  EXPECT_DOUBLE_EQ(burn::sustained_rate({{0, 2, 700}}, 10).value, 700);
}

TEST(BurnHistory, RelativeRangeNeedsTwoGpus) {
  EXPECT_FALSE(burn::relative_range({660}));
  EXPECT_DOUBLE_EQ(*burn::relative_range({660, 650, 670}), 20.0 / 660);
}

// Two parts of one name are a broken document. Runs of less than a second a point had them.
TEST(BurnHistory, PointsOfAnyRunHaveNamesOfTheirOwn) {
  for (const double seconds : {0.5, 1.0, 3.9, 4.0, 7.0, 30.0, 600.0}) {
    for (const int points : {1, 4, 7, 1000}) {
      std::set<std::string> names;
      const double length = seconds / points;
      for (int point = 0; point < points; ++point) names.insert(burn::time_text(point * length + length / 2, length));
      EXPECT_EQ(names.size(), static_cast<std::size_t>(points)) << seconds << " s in " << points;
    }
  }
  EXPECT_EQ(burn::time_text(75, 150), "75");
  EXPECT_EQ(burn::time_text(0.125, 0.25), "0.1");
}

TEST(BurnHistory, SlopeIsTheLeastSquaresLine) {
  EXPECT_DOUBLE_EQ(*burn::slope({{0, 50}, {10, 51}, {20, 52}}), 0.1);
  EXPECT_FALSE(burn::slope({{3, 50}}));
  EXPECT_FALSE(burn::slope({{3, 50}, {3, 60}}));
}

TEST(BurnHistory, MeanRateTakesTheWindowsOfThatTime) {
  const std::vector<burn::Window> windows{{0, 2, 100}, {2, 4, 200}, {4, 6, 400}};
  EXPECT_DOUBLE_EQ(*burn::mean_rate(windows, 0, 4), 150);
  EXPECT_FALSE(burn::mean_rate(windows, 6, 8));
}

}  // namespace
}  // namespace assay
