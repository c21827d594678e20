// What the GPU programs decide before and between measurements: which algorithm, which slice of memory, which form of an operation.
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "burn/position.hpp"
#include "collectives/operation.hpp"
#include "gemm/certainty.hpp"
#include "gemm/choice.hpp"

namespace {

TEST(GemmChoice, TakesTheFirstOfThoseThatAreAsFastAsTheFastest) {
  using assay::gemm::fastest;
  EXPECT_EQ(fastest({{1.0, 0.995, 0.992}}), 0U) << "less than 1 % faster is no reason to leave cuBLAS's own choice";
  EXPECT_EQ(fastest({{1.0, 0.97, 0.965}}), 1U) << "two that are alike: always the same one";
  EXPECT_EQ(fastest({{1.0, 0.95}, {1.0, 1.10}}), 0U) << "faster on one GPU, slower on the other";
  EXPECT_EQ(fastest({{1.0}}), 0U);
}

// One window of seven at the power limit, as an H200 had it in FP64: 46.4 of 54.8 TFLOP/s.
TEST(GemmRate, AWindowThatThePowerControllerHeldDownDoesNotCount) {
  std::vector<double> windows;
  for (const double rate : {54.8, 54.9, 46.4, 54.7, 54.8, 54.8, 54.9}) windows.push_back(5.5 / rate);
  const auto rate = assay::gemm::sustained_rate(windows, 5.5);
  EXPECT_NEAR(rate.value, 54.8, 1e-9);
  EXPECT_NEAR(rate.distribution->mean, 53.614, 1e-3) << "it is told beside";
  EXPECT_NEAR(rate.distribution->min, 46.4, 1e-9);
}

TEST(GemmChoice, NamesTheAlgorithmOncePerGpuOnlyWhereTheyDiffer) {
  EXPECT_EQ(assay::gemm::join_algorithms({"cuBLAS", "cuBLAS"}), "cuBLAS");
  EXPECT_EQ(assay::gemm::join_algorithms({"cuBLAS", "Lt66/20/36/1"}), "cuBLAS,Lt66/20/36/1");
}

// Feeds the windows of two GPUs in turn until both have enough; returns how many of each that took.
std::size_t fed(assay::gemm::Certainty& certainty, const std::vector<double>& first, const std::vector<double>& second) {
  std::size_t windows = 0;
  while (!certainty.is_enough() && windows < 1000) {
    certainty.add(0, first[windows % first.size()]);
    certainty.add(1, second[windows % second.size()]);
    ++windows;
  }
  return windows;
}

TEST(GemmCertainty, EndsOnceEveryGpuIsCertain) {
  const assay::StoppingRule rule(6, 1000, 0.004, 1.0);  // at least 6 windows, and a second of them
  assay::gemm::Certainty steady(2, rule);
  EXPECT_EQ(fed(steady, {0.0500, 0.0501}, {0.0502}), 6U);
  assay::gemm::Certainty one_swings(2, rule);
  EXPECT_EQ(fed(one_swings, {0.050}, {0.049, 0.051}), 20U) << "goes on to the end of the second, for both";
}

TEST(GemmCertainty, EarlierThanTheEndOnlyWhereAToleranceIsGiven) {
  assay::gemm::Certainty never(2, assay::StoppingRule(6, 1000, -1, 0.75));
  EXPECT_EQ(fed(never, {0.105}, {0.105}), 7U) << "however well they agree";
}

TEST(GemmCertainty, WaitsForNoGpuThatFailed) {
  assay::gemm::Certainty certainty(2, assay::StoppingRule(6, 1000, 0.004, 1.0));
  certainty.add(0, 0.05);
  EXPECT_FALSE(certainty.is_enough());
  certainty.give_up();
  EXPECT_TRUE(certainty.is_enough());
}

TEST(Burn, EverySliceOfTheMemoryHasItsTurn) {
  assay::burn::SweepPosition position(10, 4);
  std::vector<std::pair<std::size_t, std::size_t>> slices;
  while (position.sweeps() == 0) {
    EXPECT_FALSE(position.is_inverted_before());
    slices.emplace_back(position.first(), position.count());
    position.advance();
  }
  EXPECT_EQ(slices, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 4}, {4, 4}, {8, 2}}));
  EXPECT_EQ(position.first(), 0U);
  EXPECT_TRUE(position.is_inverted_before()) << "each sweep finds what the one before wrote";
}

TEST(Collectives, WhatRunsInPlace) {
  using namespace assay::collectives;
  EXPECT_TRUE(has_in_place(Operation::AllReduce));
  EXPECT_TRUE(has_in_place(Operation::ReduceScatter));
  EXPECT_FALSE(has_in_place(Operation::AllToAll));
  EXPECT_FALSE(has_in_place(Operation::SendRecv));
}

}  // namespace
