// The matrices of one product on one GPU, how they are filled and how a product is verified.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/cuda/buffer.hpp"
#include "common/cuda/stream.hpp"
#include "gemm/precision.hpp"

namespace assay::gemm {

std::size_t operand_bytes(Precision precision);  // per element of A and B
std::size_t product_bytes(Precision precision);  // per element of C

// C = op(A) B, all n x n and stored by columns. A is stored transposed for FP8, the only form that its units take.
class Operands {
 public:
  Operands(int device, Precision precision, std::size_t n);

  std::size_t n() const { return n_; }
  bool a_is_transposed() const { return precision_ == Precision::Fp8; }
  const void* a() const { return a_.data(); }
  const void* b() const { return b_.data(); }
  void* c() { return c_.data(); }
  std::size_t c_bytes() const { return c_.bytes(); }

  // A and B: values in (-1, 1) by a fixed seed, the same on every GPU; C: poison.
  void initialize(const cuda::Stream& stream);

  // Freivalds' check: |C x - A (B x)| of the worst row, relative to the norm of that row of C, x a vector of random signs,
  // everything summed in FP64. Infinite when it is not a number.
  double residual(const cuda::Stream& stream);

  // Of every bit of C; equal products have equal sums.
  std::uint64_t checksum(const cuda::Stream& stream);

 private:
  Precision precision_;
  std::size_t n_;
  cuda::DeviceBuffer<std::byte> a_;
  cuda::DeviceBuffer<std::byte> b_;
  cuda::DeviceBuffer<std::byte> c_;
};

}  // namespace assay::gemm
