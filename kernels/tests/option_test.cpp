#include "montecarlo/option.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace assay::montecarlo {
namespace {

void expect_words(const Words& words, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  EXPECT_EQ(words.word[0], a);
  EXPECT_EQ(words.word[1], b);
  EXPECT_EQ(words.word[2], c);
  EXPECT_EQ(words.word[3], d);
}

TEST(Philox, GivesTheKnownAnswersOfItsAuthors) {
  expect_words(philox(0, 0, 0, 0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  expect_words(philox(~0U, ~0U, ~0U, ~0U, ~0U, ~0U), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  expect_words(philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0), 0xd16cfe09, 0x94fdcceb,
               0x5001e420, 0x24126ea1);
}

TEST(ClosedForm, GivesTheTextbookPrice) {
  // Hull, "Options, Futures and Other Derivatives": S = 42, K = 40, r = 10 %, sigma = 20 %, T = half a year: 4.76.
  EXPECT_NEAR(closed_form({42, 40, 0.5}, {0.10, 0.20}), 4.7594, 5e-5);
}

TEST(ClosedForm, IsWorthTheDiscountedDifferenceWhenItIsSureToPay) {
  EXPECT_NEAR(closed_form({100, 1, 1}, {0.05, 0.01}), 100 - std::exp(-0.05), 1e-12);
}

TEST(ReferencePaths, AgreeWithTheClosedForm) {
  const Market market;
  const Call call{25, 24, 2};
  for (const bool wide : {false, true}) {
    const auto payoffs = reference_payoffs(path_terms(call, market), 7, 1 << 18, 99, wide);
    const Estimate estimated = estimate(payoffs, 1 << 18, call, market);
    EXPECT_NEAR(estimated.price, closed_form(call, market), 4 * estimated.standard_error) << wide;
    EXPECT_GT(estimated.standard_error, 0);
    EXPECT_LT(estimated.standard_error, 0.01 * estimated.price);
  }
}

TEST(ReferencePaths, DifferForEveryOption) {
  const auto terms = path_terms({25, 24, 2}, {});
  EXPECT_NE(reference_payoffs(terms, 0, 1024, 1, false).sum, reference_payoffs(terms, 1, 1024, 1, false).sum);
}

TEST(MakeCalls, GivesOptionsThatPay) {
  for (const Call& call : make_calls(1000, 3)) EXPECT_GT(closed_form(call, {}), 1e-6 * call.spot);
}

}  // namespace
}  // namespace assay::montecarlo
