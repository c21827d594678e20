// What the GPU programs decide before and between measurements: which algorithm, which slice of memory, which form of an operation.
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "burn/position.hpp"
#include "collectives/operation.hpp"
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
