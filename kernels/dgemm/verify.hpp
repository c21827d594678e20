// Checks a matrix product in O(n^2): C x against A (B x) for a random vector x (Freivalds' check, in floating point).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace assay::dgemm {

// n x n, row-major. Every element is first written by the OpenMP thread of its row block, which places its page.
class Matrix {
 public:
  explicit Matrix(std::size_t n);                      // zeros
  static Matrix random(std::size_t n, std::uint64_t seed);  // uniform in (-1, 1), the same numbers on every machine
  std::size_t n() const { return n_; }
  double* data() { return elements_.get(); }
  const double* data() const { return elements_.get(); }

 private:
  template <typename Element>
  static Matrix filled(std::size_t n, const Element& element);
  Matrix(std::size_t n, std::unique_ptr<double[]> elements) : n_(n), elements_(std::move(elements)) {}
  std::size_t n_;
  std::unique_ptr<double[]> elements_;
};

struct Verdict {
  double error = 0;      // max_i |(C x - A (B x))_i| / (|A| (|B| |x|))_i
  double tolerance = 0;  // 4 n eps: three chains of n roundings each, the last of them over the result of the one before
  bool ok() const { return error <= tolerance; }  // false for NaN
};

Verdict verify(const Matrix& a, const Matrix& b, const Matrix& c, std::uint64_t seed);

}  // namespace assay::dgemm
