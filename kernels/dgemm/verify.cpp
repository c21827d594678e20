#include "dgemm/verify.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace assay::dgemm {
namespace {

// splitmix64: the state of element i is known without the elements before it.
double uniform(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  z ^= z >> 31;
  constexpr double kTwoTo53 = 9007199254740992.0;
  return 2 * ((static_cast<double>(z >> 11) + 0.5) / kTwoTo53) - 1;
}

struct Product {
  std::vector<double> value;      // M x
  std::vector<double> magnitude;  // |M| y
};

Product multiply(const Matrix& m, const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = m.n();
  Product product{std::vector<double>(n), std::vector<double>(n)};
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < n; ++row) {
    const double* elements = m.data() + row * n;
    double value = 0;
    double magnitude = 0;
    for (std::size_t column = 0; column < n; ++column) {
      value += elements[column] * x[column];
      magnitude += std::abs(elements[column]) * y[column];
    }
    product.value[row] = value;
    product.magnitude[row] = magnitude;
  }
  return product;
}

}  // namespace

template <typename Element>
Matrix Matrix::filled(std::size_t n, const Element& element) {
  std::unique_ptr<double[]> elements(new double[n * n]);
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t i = row * n; i < (row + 1) * n; ++i) elements[i] = element(i);
  }
  return Matrix(n, std::move(elements));
}

Matrix::Matrix(std::size_t n) : Matrix(filled(n, [](std::size_t) { return 0.0; })) {}

Matrix Matrix::random(std::size_t n, std::uint64_t seed) {
  return filled(n, [seed](std::size_t i) { return uniform(seed, i); });
}

Verdict verify(const Matrix& a, const Matrix& b, const Matrix& c, std::uint64_t seed) {
  const std::size_t n = a.n();
  std::vector<double> x(n), absolute(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = uniform(seed, i);
    absolute[i] = std::abs(x[i]);
  }
  const Product bx = multiply(b, x, absolute);
  const Product abx = multiply(a, bx.value, bx.magnitude);
  const Product cx = multiply(c, x, absolute);
  Verdict verdict;
  verdict.tolerance = 4 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < n; ++i) {
    const double error = std::abs(cx.value[i] - abx.value[i]) / abx.magnitude[i];
    if (!(error <= verdict.error)) verdict.error = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  return verdict;
}

}  // namespace assay::dgemm
