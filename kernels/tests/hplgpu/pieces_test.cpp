// The parts of hpl-gpu that are formulas and plans, and how its ranks fail together.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "hpl-gpu/backend.hpp"
#include "hpl-gpu/checksum.hpp"
#include "hpl-gpu/figures.hpp"
#include "hpl-gpu/generator.hpp"
#include "hpl-gpu/permutation.hpp"
#include "hpl-gpu/progress.hpp"
#include "hpl-gpu/report.hpp"
#include "hpl-gpu/sizing.hpp"
#include "hpl-gpu/team.hpp"

namespace assay::hplgpu {
namespace {

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// tests/hplgpu/netlib.c wrote these with Netlib's generator.
TEST(HplGpuGenerator, NumbersAreNetlibs) {
  constexpr std::uint64_t kOrder = 1000;
  EXPECT_EQ(number_of(state_at(0, 0, kOrder)), -0x1.b0d8f532d8p-15);
  EXPECT_EQ(number_of(state_at(1, 0, kOrder)), 0x1.8959b2285d2a4p-2);
  EXPECT_EQ(number_of(state_at(999, 999, kOrder)), -0x1.d5db56c715a0ep-2);
  std::uint64_t sum = 0;
  for (std::uint64_t column = 0; column <= kOrder; ++column) {
    for (std::uint64_t row = 0; row < kOrder; ++row) {
      sum += checksum_term(bits_of(number_of(state_at(row, column, kOrder))), row + column * kOrder);
    }
  }
  EXPECT_EQ(sum, 3164817775903523199ULL) << "of all 1,001,000 numbers in their order";
}

TEST(HplGpuGenerator, JumpsAreManySteps) {
  std::uint64_t state = kFirstState;
  for (std::uint64_t steps = 0; steps < 1000; ++steps, state = kOneStep.from(state)) ASSERT_EQ(jump_of(steps).from(kFirstState), state);
  const std::uint64_t far = 1'000'000'007ULL * 1'000'000'009ULL;
  EXPECT_EQ(jump_of(far).then(jump_of(5)).from(7), jump_of(far + 5).from(7));
}

TEST(HplGpuLayout, EveryColumnHasOnePlace) {
  for (const Layout layout : {Layout{1, 8, 1}, Layout{64, 8, 3}, Layout{65, 8, 3}, Layout{100, 64, 4}, Layout{7, 8, 2}, Layout{127, 16, 4}}) {
    std::vector<std::int64_t> next(static_cast<std::size_t>(layout.ranks));
    for (std::int64_t column = 0; column <= layout.order; ++column) {
      const int owner = layout.owner(column);
      EXPECT_EQ(owner, column / layout.block % layout.ranks);
      for (int rank = 0; rank < layout.ranks; ++rank) ASSERT_EQ(layout.local(rank, column), next[static_cast<std::size_t>(rank)]);
      ++next[static_cast<std::size_t>(owner)];
    }
    for (int rank = 0; rank < layout.ranks; ++rank) {
      EXPECT_EQ(layout.columns(rank), next[static_cast<std::size_t>(rank)]);
      EXPECT_LE(layout.columns(rank), layout.most_columns());
      std::int64_t covered = 0;
      for (const ColumnRun& run : runs_of(layout, rank)) {
        EXPECT_EQ(run.local, covered);
        covered += run.count;
      }
      EXPECT_EQ(covered, layout.columns(rank));
    }
  }
}

TEST(HplGpuLayout, PanelsGetNarrowerTowardsTheEnd) {
  std::int64_t at = 0, last = 1024;
  for (const Step& step : steps_of({20000, 1024, 2}, 16)) {
    EXPECT_EQ(step.first, at);
    EXPECT_EQ(step.first / 1024, (step.first + step.width - 1) / 1024) << "a panel has one owner";
    const bool ends_block = (step.first + step.width) % 1024 == 0 || step.first + step.width == 20000;
    EXPECT_TRUE(step.width <= last || ends_block);
    at += step.width;
    last = step.width;
  }
  EXPECT_EQ(at, 20000);
  EXPECT_EQ(last, 32) << "20000 is 19 blocks, 4 panels of 128, and 32";
  EXPECT_EQ(steps_of({20000, 1024, 2}, 0).size(), 20u) << "never narrower";
}

TEST(HplGpuPermutation, IsWhatTheSwapsDoOneByOne) {
  const std::vector<std::int32_t> pivots{5, 1, 9, 5, 4, 9, 0 + 6, 11};
  std::vector<std::int32_t> rows(12);
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t i = 0; i < pivots.size(); ++i) std::swap(rows[i], rows[static_cast<std::size_t>(pivots[i])]);
  for (std::int32_t row = 0; row < 12; ++row) {
    EXPECT_EQ(source_of(row, pivots.data(), static_cast<std::int32_t>(pivots.size())), rows[static_cast<std::size_t>(row)]);
  }
}

TEST(HplGpuChecksum, NoticesEverySingleChange) {
  const std::uint64_t word = 0x123456789abcdef0ULL;
  for (std::uint64_t index : {0ULL, 1ULL, 1ULL << 30, (1ULL << 40) + 3}) {
    for (int bit = 0; bit < 64; ++bit) EXPECT_NE(checksum_term(word, index), checksum_term(word ^ (1ULL << bit), index));
  }
}

TEST(HplGpuPanel, MemoryHoldsTheListsBehindTheColumns) {
  for (const std::int64_t rows : {1, 15, 16, 512, 4096, 100000}) {
    for (const std::int64_t width : {1, 7, 64, 1024}) {
      const Panel panel{nullptr, rows, width};
      EXPECT_GE(panel.ld(), rows);
      EXPECT_NE(panel.ld() % 512, 0);
      const auto end = reinterpret_cast<std::uintptr_t>(panel.pivot_from() + width);
      EXPECT_LE(end, panel.bytes());
      EXPECT_LT(panel.bytes() - end, 8u);
    }
  }
}

TEST(HplGpuResidual, SaysWhenAValueIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(largest({1, nan, 2})));
  EXPECT_EQ(largest({1, -3, 2}), 3);
  const Residual residual = residual_of({1, nan}, {2, 2}, {1, 1});
  EXPECT_FALSE(residual.passed());
}

TEST(HplGpuResidual, IsHplsFormula) {
  const double b0 = number_of(state_at(0, 2, 2)), b1 = number_of(state_at(1, 2, 2));
  const Residual residual = residual_of({b0 + 3e-16, b1 - 1e-16}, {0.5, 0.75}, {2, -4});
  const double eps = 1.1102230246251565e-16;
  EXPECT_NEAR(residual.scaled, residual.difference / (eps * (0.75 * 4 + std::max(std::abs(b0), std::abs(b1))) * 2), 1e-12);
  EXPECT_NEAR(residual.difference, 3e-16, 1e-16);
}

TEST(HplGpuReport, HasNetlibsLines) {
  const Residual passed{1e-12, 260, 11, 0.5, 0.0037596};
  Residual failed = passed;
  failed.scaled = 123.5;
  const std::string report = netlib_report({129024, 1024, 2}, {{30.25, passed}, {31, failed}});
  EXPECT_NE(report.find("\nWR10R2R16      129024  1024     1     2              30.25              4.734e+04\n"), std::string::npos) << report;
  EXPECT_NE(report.find("\n||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0037596 ...... PASSED\n"), std::string::npos);
  EXPECT_NE(report.find("      123.5000000 ...... FAILED\n||Ax-b||_oo  . ."), std::string::npos);
  EXPECT_NE(report.find("Finished      2 tests with the following results:\n              1 tests completed and passed residual checks,\n"
                        "              1 tests completed and failed residual checks,\n              0 tests skipped"), std::string::npos);
}

// 134 GB hold a matrix of order 129,024 with its panels.
TEST(HplGpuSizing, OrderIsTheLargestThatFits) {
  const Tuning tuning;
  const std::int64_t order = order_for_memory(137'500'000'000, 1024, 1, tuning);
  EXPECT_EQ(order, 129024);
  EXPECT_LE(8 * System::doubles_for({order, 1024, 1}, tuning), 137'500'000'000);
  EXPECT_GT(8 * System::doubles_for({order + 1024, 1024, 1}, tuning), 137'500'000'000);
  const double four = static_cast<double>(order_for_memory(137'500'000'000, 1024, 4, tuning));
  EXPECT_NEAR(four / static_cast<double>(order), 2, 0.05) << "four times the memory: twice the order, but for panels";
  EXPECT_EQ(order_for_memory(1000, 1024, 1, tuning), 0);
}

TEST(HplGpuSizing, OrderForATimeIsThatOfTheOperations) {
  EXPECT_EQ(order_for_seconds(10, 45e12, 1024), 86 * 1024) << "(1.5 x 10 s x 45e12)^(1/3) = 87,720";
  EXPECT_EQ(order_for_seconds(1e-9, 1, 1024), 1024);
}

TEST(HplGpuProgress, TellsShareRateAndTimeLeft) {
  Meter meter(100000);
  EXPECT_EQ(meter.at(1000, 0.9), std::nullopt) << "not yet a second";
  const auto line = meter.at(20630, 4.0);  // (1 - 0.2063)^3 = 0.5
  ASSERT_TRUE(line);
  EXPECT_EQ(*line, "50 %, 83.3 TFLOP/s, 4 s left");
  EXPECT_EQ(meter.at(20630, 4.5), std::nullopt);
  EXPECT_EQ(*meter.at(100000, 10.0), "100 %, 55.6 TFLOP/s, 0 s left") << "the rate since the last line";
}

TEST(HplGpuFigures, NamesTheSlowRank) {
  const auto slow = slow_ranks({"gpu0", "gpu1", "gpu2", "gpu3"}, {50.8, 50.1, 41.2, 51});
  ASSERT_EQ(slow.size(), 1u);
  EXPECT_EQ(slow[0], "gpu2 multiplied at 41.2 TFLOP/s, the median of all at 50.5: the others wait for it");
  EXPECT_EQ(slow_ranks({"gpu0", "gpu1"}, {45, 50})[0], "gpu0 multiplied at 45.0 TFLOP/s, the other at 50.0: the others wait for it");
  EXPECT_TRUE(slow_ranks({"gpu0", "gpu1"}, {50, 50.5}).empty());
}

TEST(HplGpuFigures, SurviveTheirJourney) {
  RankFigures figures;
  for (std::size_t i = 0; i < figures.phases.seconds.size(); ++i) figures.phases.seconds[i] = static_cast<double>(i);
  figures.multiplied = 1e15;
  figures.differences = 2;
  figures.seconds = 30;
  figures.watts = 690;
  const auto numbers = figures.numbers();
  ASSERT_EQ(numbers.size(), RankFigures::kNumbers);
  EXPECT_EQ(RankFigures::of(numbers.data()).numbers(), numbers);
  EXPECT_EQ(figures.product_rate(), 1e15 / 3 * 1e-12) << "phase Gemm has 3 s here";
}

TEST(HplGpuTeam, AddsUpAndHandsOut) {
  run_threads(4, [](Team& team) {
    EXPECT_EQ(team.sum(team.rank()), 6);
    EXPECT_EQ(team.max(team.rank()), 3);
    EXPECT_EQ(team.gather(10.0 * team.rank()), (std::vector<double>{0, 10, 20, 30}));
    int number = team.rank() == 0 ? 42 : 0;
    team.broadcast_from_first(&number, sizeof number);
    EXPECT_EQ(number, 42);
  });
}

TEST(HplGpuTeam, FailsTogether) {
  std::atomic<int> told{0};
  run_threads(3, [&](Team& team) {
    try {
      team.together([&] {
        if (team.rank() == 1) throw std::runtime_error("no memory");
      });
    } catch (const std::runtime_error& error) {
      told += std::string(error.what()) == "no memory" ? 1 : 0;
    }
    EXPECT_EQ(team.sum(1), 3) << "all go on";
  });
  EXPECT_EQ(told, 3);
}

TEST(HplGpuTeam, NobodyWaitsForARankThatFailedAlone) {
  try {
    run_threads(3, [](Team& team) {
      if (team.rank() == 2) throw std::runtime_error("lost a GPU");
      team.sum(1);
      FAIL() << "met a rank that never came";
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "lost a GPU");
  }
}

}  // namespace
}  // namespace assay::hplgpu
