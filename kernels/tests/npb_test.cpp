#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "npb/classes.hpp"
#include "npb/fft.hpp"
#include "npb/generator.hpp"

namespace assay::npb {
namespace {

TEST(Npb, TheGeneratorGivesTheSequenceOfTheSpecification) {
  Generator generator;
  // 5^13 x mod 2^46, computed with whole numbers of any length.
  for (const std::uint64_t number : {55909509111989ULL, 61155031930969ULL, 45573031421645ULL, 55279057169489ULL}) {
    EXPECT_EQ(generator.next_integer(), number);
  }
  EXPECT_DOUBLE_EQ(Generator().next(), 0.79452191118873827);
}

TEST(Npb, TheGeneratorSkipsAsManyAsItIsTold) {
  Generator stepping;
  for (std::uint64_t skipped = 0; skipped < 1000; ++skipped) {
    ASSERT_EQ(Generator(skipped).next_integer(), stepping.next_integer()) << skipped;
  }
  EXPECT_EQ(Generator(1000000000000).next_integer(), 40615697309877ULL);
}

TEST(Npb, EveryClassOfEveryKernelIsThere) {
  for (const auto& name : class_names()) {
    EXPECT_GT(cg_class(name).zeta, 8) << name;
    EXPECT_GT(mg_class(name).norm, 0) << name;
    EXPECT_GE(ft_class(name).checksums.size(), 6u) << name;
    for (const auto index : is_class(name).index) EXPECT_LT(index, std::int64_t{1} << is_class(name).keys_log2) << name;
  }
}

TEST(Npb, NoKernelGetsMoreRanksThanItsClassCanUse) {
  EXPECT_EQ(most_ranks("ft", "B"), 256);
  EXPECT_EQ(most_ranks("ft", "W"), 32);
  EXPECT_EQ(most_ranks("is", "B"), 512);
  EXPECT_EQ(most_ranks("mg", "S"), 16 * 16 * 16);
  EXPECT_EQ(most_ranks("mg", "D"), 512LL * 512 * 512);
  EXPECT_EQ(most_ranks("cg", "S"), 1400);
}

TEST(Npb, WhatIsNotANumberIsInfinitelyWrong) {
  EXPECT_NEAR(relative_error(1.01, 1.0), 0.01, 1e-12);
  EXPECT_TRUE(std::isinf(relative_error(std::numeric_limits<double>::quiet_NaN(), 1.0)));
  EXPECT_NEAR(relative_error(std::complex<double>(3, 4.5), {3, 4}), 0.1, 1e-12);
  EXPECT_TRUE(std::isinf(relative_error(std::complex<double>(3, std::numeric_limits<double>::quiet_NaN()), {3, 4})));
}

// A wave becomes a line at its frequency; and back, as long as it was.
TEST(Npb, TheTransformFindsAWaveAndGivesItBack) {
  constexpr int kLength = 64, kWave = 5;
  constexpr std::size_t kLine = 3;
  Fft fft(kLength);
  const auto angle = [](std::size_t i) { return 2 * M_PI * kWave * static_cast<double>(i) / kLength; };
  for (std::size_t i = 0; i < kLength; ++i) {
    fft.real()[i * kLines + kLine] = std::cos(angle(i));
    fft.imaginary()[i * kLines + kLine] = std::sin(angle(i));
  }
  fft.transform(true);
  for (std::size_t i = 0; i < kLength; ++i) {
    EXPECT_NEAR(fft.real()[i * kLines + kLine], i == kWave ? kLength : 0, 1e-12) << i;
    EXPECT_NEAR(fft.imaginary()[i * kLines + kLine], 0, 1e-12) << i;
    EXPECT_EQ(fft.real()[i * kLines], 0) << "another line, " << i;
  }
  fft.transform(false);
  for (std::size_t i = 0; i < kLength; ++i) EXPECT_NEAR(fft.real()[i * kLines + kLine], kLength * std::cos(angle(i)), 1e-11) << i;
}

}  // namespace
}  // namespace assay::npb
