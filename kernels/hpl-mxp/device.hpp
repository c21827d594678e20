// What hpl-mxp asks of a device: a GPU does it in one implementation, the host in the other, for tests. Operations are done in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::hplmxp {

// Column-major memory of a device. Half is told by what uses it: the host need not know the format.
template <typename T>
struct Block {
  T* data = nullptr;
  std::int64_t ld = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  T* at(std::int64_t row, std::int64_t column) const { return data + row + column * ld; }
  Block part(std::int64_t row, std::int64_t column, std::int64_t part_rows, std::int64_t part_columns) const {
    return {at(row, column), ld, part_rows, part_columns};
  }
};
struct Half {
  std::uint16_t bits;
};
using Floats = Block<float>;
using Halves = Block<Half>;

class Device {
 public:
  virtual ~Device() = default;

  // Memory that lives as long as the device.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual std::vector<double> download(const double* from, std::size_t count) = 0;  // waits
  virtual std::vector<float> download(const float* from, std::size_t count) = 0;
  virtual void upload(const std::vector<double>& from, double* to) = 0;
  virtual void upload(const std::vector<float>& from, float* to) = 0;
  virtual void wait() = 0;

  // HPL's numbers, with `diagonal` in place of those on the diagonal, rounded.
  virtual void generate(const Floats& a, const double* diagonal) = 0;
  // Of HPL's numbers, without b: products = A x, sums of the rows of |A|.
  virtual void row_sums(std::int64_t order, const double* x, double* products, double* sums) = 0;

  virtual void factor(const Floats& a) = 0;                                          // LU without pivoting, in FP32
  virtual void invert(const Floats& lu, const Floats& l, const Floats& u) = 0;       // l = L^-1, u = U^-1
  virtual void multiply(const Floats& c, const Floats& a, const Floats& b) = 0;      // c = a b; operands may lose bits to TF32
  virtual void store(const Floats& from, const Floats& to, const Halves& rounded, float scale) = 0;  // to = from, rounded = scale from
  virtual void subtract_product(const Floats& c, const Halves& a, const Halves& b, float scale) = 0;  // c -= scale a b, added up in FP32
  virtual void multiply_vector(const Floats& a, const float* x, float* y) = 0;       // y = a x
  virtual void subtract_times(const Floats& a, const float* x, float* y) = 0;        // y -= a x
  virtual void flip_bit(float* value) = 0;
};

}  // namespace assay::hplmxp
