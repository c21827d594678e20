// The algorithm of hpl-mxp on the host, with half precision rounded as the hardware rounds it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>

#include "hpl-gpu/generator.hpp"
#include "hpl-mxp/system.hpp"

namespace assay::hplmxp {
namespace {

std::uint16_t bits_of(_Float16 value) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float value_of(Half half) {
  _Float16 value = 0;
  std::memcpy(&value, &half.bits, sizeof value);
  return static_cast<float>(value);
}

class HostDevice : public Device {
 public:
  void* allocate(std::size_t bytes) override {
    memory_.emplace_back(bytes / sizeof(double) + 1);
    taken += static_cast<std::int64_t>(bytes);
    return memory_.back().data();
  }
  std::vector<double> download(const double* from, std::size_t count) override { return {from, from + count}; }
  std::vector<float> download(const float* from, std::size_t count) override { return {from, from + count}; }
  void upload(const std::vector<double>& from, double* to) override { std::copy(from.begin(), from.end(), to); }
  void upload(const std::vector<float>& from, float* to) override { std::copy(from.begin(), from.end(), to); }
  void wait() override {}

  void generate(const Floats& a, const double* diagonal) override {
    each(a, [&](std::int64_t i, std::int64_t j) { return static_cast<float>(i == j ? diagonal[i] : number(i, j, a.rows)); });
  }
  void row_sums(std::int64_t order, const double* x, double* products, double* sums) override {
    for (std::int64_t i = 0; i < order; ++i) {
      products[i] = sums[i] = 0;
      for (std::int64_t j = 0; j < order; ++j) {
        products[i] += number(i, j, order) * x[j];
        sums[i] += std::abs(number(i, j, order));
      }
    }
  }
  void factor(const Floats& a) override {
    for (std::int64_t k = 0; k < a.rows; ++k) {
      for (std::int64_t i = k + 1; i < a.rows; ++i) {
        *a.at(i, k) /= *a.at(k, k);
        for (std::int64_t j = k + 1; j < a.columns; ++j) *a.at(i, j) -= *a.at(i, k) * *a.at(k, j);
      }
    }
  }
  void invert(const Floats& lu, const Floats& l, const Floats& u) override {
    const std::int64_t n = lu.rows;
    for (std::int64_t column = 0; column < n; ++column) {
      for (std::int64_t i = 0; i < n; ++i) {
        float sum = i == column ? 1.0F : 0.0F;
        for (std::int64_t k = 0; k < i; ++k) sum -= *lu.at(i, k) * *l.at(k, column);
        *l.at(i, column) = sum;
      }
      for (std::int64_t i = n; i-- > 0;) {
        float sum = i == column ? 1.0F : 0.0F;
        for (std::int64_t k = i + 1; k < n; ++k) sum -= *lu.at(i, k) * *u.at(k, column);
        *u.at(i, column) = sum / *lu.at(i, i);
      }
    }
  }
  void multiply(const Floats& c, const Floats& a, const Floats& b) override {
    each(c, [&](std::int64_t i, std::int64_t j) {
      float sum = 0;
      for (std::int64_t k = 0; k < a.columns; ++k) sum += tf32(*a.at(i, k)) * tf32(*b.at(k, j));
      return sum;
    });
  }
  void store(const Floats& from, const Floats& to, const Halves& rounded, float scale) override {
    each(to, [&](std::int64_t i, std::int64_t j) {
      const float value = *from.at(i, j);
      if (rounded.data != nullptr) rounded.at(i, j)->bits = bits_of(static_cast<_Float16>(scale * value));
      return value;
    });
  }
  void subtract_product(const Floats& c, const Halves& a, const Halves& b, float scale) override {
    each(c, [&](std::int64_t i, std::int64_t j) {
      float sum = 0;
      for (std::int64_t k = 0; k < a.columns; ++k) sum += value_of(*a.at(i, k)) * value_of(*b.at(k, j));
      return *c.at(i, j) - scale * sum;
    });
  }
  void multiply_vector(const Floats& a, const float* x, float* y) override {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      y[i] = 0;
      for (std::int64_t k = 0; k < a.columns; ++k) y[i] += *a.at(i, k) * x[k];
    }
  }
  void subtract_times(const Floats& a, const float* x, float* y) override {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t k = 0; k < a.columns; ++k) y[i] -= *a.at(i, k) * x[k];
    }
  }
  void flip_bit(float* value) override {
    std::uint32_t word = 0;
    std::memcpy(&word, value, sizeof word);
    word ^= 1U << 29;
    std::memcpy(value, &word, sizeof word);
  }

  std::int64_t taken = 0;

 private:
  static double number(std::int64_t i, std::int64_t j, std::int64_t order) {
    return hplgpu::number_of(
        hplgpu::state_at(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), static_cast<std::uint64_t>(order)));
  }
  // Ten bits behind the point, the rest cut off.
  static float tf32(float value) {
    std::uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    word &= ~std::uint32_t{0x1fff};
    std::memcpy(&value, &word, sizeof word);
    return value;
  }
  template <typename Value>
  static void each(const Floats& to, Value value) {
    for (std::int64_t j = 0; j < to.columns; ++j) {
      for (std::int64_t i = 0; i < to.rows; ++i) *to.at(i, j) = value(i, j);
    }
  }

  std::deque<std::vector<double>> memory_;
};

struct Outcome {
  Solution solution;
  std::vector<std::int64_t> progress;
};

Outcome solve(const Shape& shape, bool damage = false) {
  HostDevice device;
  System system(shape, device);
  EXPECT_EQ(device.taken, shape.bytes());
  system.prepare();
  Outcome outcome;
  system.factor([&](std::int64_t columns) { outcome.progress.push_back(columns); }, damage);
  outcome.solution = system.refine();
  return outcome;
}

TEST(HplMxp, RefinesToTheResidualOfHpl) {
  for (const Shape shape : {Shape{1, 32, 32}, Shape{31, 32, 64}, Shape{64, 16, 16}, Shape{100, 32, 40}, Shape{200, 64, 64}, Shape{129, 64, 500}}) {
    const Outcome outcome = solve(shape);
    EXPECT_TRUE(outcome.solution.residual.passed()) << shape.order << ": " << outcome.solution.residual.scaled;
    EXPECT_LE(outcome.solution.iterations, 8) << shape.order;
    EXPECT_EQ(outcome.progress.back(), shape.order);
  }
}

// What half precision leaves is too far off for one iteration: if a single one passed, the test would say nothing about refinement.
TEST(HplMxp, NeedsMoreThanOneIteration) { EXPECT_GT(solve({200, 32, 64}).solution.iterations, 1); }

TEST(HplMxp, DamageKeepsItFromConverging) {
  const Outcome outcome = solve({200, 32, 64}, true);
  EXPECT_FALSE(outcome.solution.residual.passed()) << outcome.solution.iterations;
}

}  // namespace
}  // namespace assay::hplmxp
