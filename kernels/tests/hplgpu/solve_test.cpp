// The algorithm of hpl-gpu on the host's backend.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hpl-gpu/generator.hpp"
#include "hpl-gpu/report.hpp"
#include "tests/hplgpu/solver.hpp"

namespace assay::hplgpu {
namespace {

// Gaussian elimination as in a textbook, row by row.
std::vector<double> reference(std::int64_t order) {
  const auto n = static_cast<std::size_t>(order);
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= n; ++j) a[i][j] = number_of(state_at(i, j, n));
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) pivot = std::abs(a[i][k]) > std::abs(a[pivot][k]) ? i : pivot;
    std::swap(a[k], a[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t k = n; k-- > 0;) {
    double rest = a[k][n];
    for (std::size_t j = k + 1; j < n; ++j) rest -= a[k][j] * x[j];
    x[k] = rest / a[k][k];
  }
  return x;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most / largest(b);
}

class Solves : public testing::TestWithParam<Case> {};

TEST_P(Solves, AndItsResidualPasses) {
  const Outcome outcome = solve(GetParam());
  EXPECT_LT(distance(outcome.x, reference(GetParam().order)), 1e-9);
  EXPECT_TRUE(outcome.residual.passed()) << outcome.residual.scaled;
  EXPECT_LT(outcome.residual.scaled, 1);
  EXPECT_EQ(outcome.differences, 0);
  EXPECT_TRUE(std::is_sorted(outcome.progress.begin(), outcome.progress.end()));
}

INSTANTIATE_TEST_SUITE_P(HplGpu, Solves,
                         testing::Values(Case{1, 8, 1}, Case{7, 8, 1}, Case{8, 8, 1}, Case{9, 8, 2}, Case{64, 8, 1}, Case{64, 16, 2},
                                         Case{65, 16, 2, 16}, Case{100, 16, 3, 1}, Case{127, 32, 4, 5}, Case{128, 32, 4, 8},
                                         Case{129, 32, 3, 16}, Case{200, 64, 4, 16, {1, 0}}, Case{257, 8, 4, 2, {1000, 0}},
                                         Case{300, 64, 2, 16, {64, 0}}, Case{511, 64, 3, 16}, Case{512, 64, 4, 16},
                                         Case{400, 256, 2, 16, {100, 2}}, Case{400, 32, 2, 8, {100, 2, 20'000}}, Case{511, 512, 1, 8, {100, 16}}, Case{512, 256, 3, 8, {100, 16}}),
                         [](const auto& info) {
                           const Case& c = info.param;
                           return "N" + std::to_string(c.order) + "NB" + std::to_string(c.block) + "Q" + std::to_string(c.ranks) + "W" +
                                  std::to_string(c.base) + "S" + std::to_string(c.tuning.strip) + "T" + std::to_string(c.tuning.tail);
                         });

// Panels follow each other in the same block here, so that the third one's memory is that of the first, which is still being sent.
TEST(HplGpu, NoPanelIsOverwrittenWhileItIsSent) {
  for (const double beside : {0.0, 1e9}) {
    Case slow{640, 512, 2, 16, {256, 1000, beside}};
    slow.transfer_milliseconds = 20;
    const Outcome outcome = solve(slow);
    EXPECT_TRUE(outcome.residual.passed()) << outcome.residual.scaled;
    EXPECT_EQ(outcome.differences, 0);
  }
}

// tests/hplgpu/netlib.c wrote these: `netlib 512 64`.
TEST(HplGpu, SolutionIsNetlibs) {
  const std::vector<std::pair<std::size_t, double>> netlibs{
      {0, -0.08768703290839247}, {1, -0.3689326322785731}, {100, 0.08632399092824401}, {255, 0.09006612540852207},
      {256, 0.27163630346006457}, {400, -0.5309872301424406}, {511, -0.03580062213947447}};
  const Outcome outcome = solve({512, 64, 3, 16});
  for (const auto& [i, value] : netlibs) EXPECT_NEAR(outcome.x[i], value, 1e-11) << i;
}

TEST(HplGpu, SolutionDoesNotDependOnTheRanks) {
  const Outcome one = solve({200, 16, 1});
  const Outcome three = solve({200, 16, 3});
  EXPECT_LT(distance(one.x, three.x), 1e-12);
  EXPECT_EQ(one.multiplied, three.multiplied);
  // The products are most of what HPL counts; the rest are panels and triangular solutions.
  EXPECT_LT(one.multiplied, operations_of(200));
  EXPECT_GT(one.multiplied, 0.85 * operations_of(200));
}

TEST(HplGpu, DamageFailsTheResidual) {
  for (const Fault fault : {Fault::Matrix, Fault::Panel, Fault::Broadcast}) {
    const Outcome outcome = solve({300, 32, 3, 8, {64, 0}, fault});
    EXPECT_FALSE(outcome.residual.passed()) << static_cast<int>(fault);
    EXPECT_EQ(outcome.differences, fault == Fault::Broadcast ? 2 : 0) << "both receivers notice what the transfer damaged";
  }
}

}  // namespace
}  // namespace assay::hplgpu
