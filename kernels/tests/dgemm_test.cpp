#include "dgemm/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay::dgemm {
namespace {

constexpr std::size_t kOrder = 96;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.n());
  for (std::size_t i = 0; i < a.n(); ++i) {
    for (std::size_t k = 0; k < a.n(); ++k) {
      for (std::size_t j = 0; j < a.n(); ++j) c.data()[i * a.n() + j] += a.data()[i * a.n() + k] * b.data()[k * a.n() + j];
    }
  }
  return c;
}

class Dgemm : public testing::Test {
 protected:
  Matrix a_ = Matrix::random(kOrder, 1);
  Matrix b_ = Matrix::random(kOrder, 2);
  Matrix c_ = product(a_, b_);
};

TEST_F(Dgemm, RightProductIsAccepted) {
  const Verdict verdict = verify(a_, b_, c_, 3);
  EXPECT_TRUE(verdict.ok()) << verdict.error;
  EXPECT_LT(verdict.error, verdict.tolerance / 100);
}

TEST_F(Dgemm, OneWrongElementIsFound) {
  c_.data()[17 * kOrder + 5] *= 1 + 1e-6;
  EXPECT_FALSE(verify(a_, b_, c_, 3).ok());
}

TEST_F(Dgemm, SwappedOperandsAreFound) { EXPECT_FALSE(verify(b_, a_, c_, 3).ok()); }

TEST_F(Dgemm, NaNIsFound) {
  c_.data()[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(verify(a_, b_, c_, 3).ok());
}

TEST(Matrix, RandomIsInTheOpenIntervalAndTheSameEveryTime) {
  const Matrix m = Matrix::random(64, 7);
  double sum = 0;
  for (std::size_t i = 0; i < 64 * 64; ++i) {
    ASSERT_LT(std::abs(m.data()[i]), 1);
    ASSERT_NE(m.data()[i], 0);
    sum += m.data()[i];
  }
  EXPECT_NEAR(sum / (64 * 64), 0, 0.03);
  EXPECT_EQ(Matrix::random(64, 7).data()[99], m.data()[99]);
  EXPECT_NE(Matrix::random(64, 8).data()[99], m.data()[99]);
}

}  // namespace
}  // namespace assay::dgemm
