// One GPU under load: products without pause, each compared with the first to the last bit, and between them a slice of the memory
// at a time, compared with its pattern and rewritten.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "burn/compare.hpp"
#include "burn/history.hpp"
#include "burn/sweep.hpp"
#include "common/cuda/buffer.hpp"
#include "common/cuda/integrity.hpp"
#include "common/cuda/telemetry.hpp"
#include "gemm/blas.hpp"

namespace assay::burn {

struct Load {
  gemm::Precision precision = gemm::Precision::Bf16;
  std::size_t n = 8192;
  double seconds = 10;
  double memory_fraction = 0.8;  // of what is free, for the pattern
  bool inject_bitflip = false;
};

class Soak {
 public:
  // Fills the memory and computes the product that all later ones are compared with.
  Soak(const cuda::Gpu& gpu, const Load& load);

  // Until load.seconds after `start`, a time of `clock`. On a thread of its own; the GPU is busy throughout.
  void run(const cuda::Telemetry& clock, double start);

  // After run(): all of the memory once more, the first product against its operands, and what run() found.
  void verify(cuda::Integrity& integrity);

  const std::vector<Window>& windows() const { return windows_; }
  std::uint64_t products() const { return products_; }
  std::uint64_t reference_checksum() const { return reference_checksum_; }
  std::size_t pattern_bytes() const { return memory_ ? memory_->bytes() : 0; }
  std::uint64_t memory_sweeps() const { return memory_ ? memory_->sweeps() : 0; }  // complete ones, the last one in verify() included

 private:
  // Queues `count` products, each with its comparison; returns the seconds of the products alone.
  double multiply(std::size_t count, bool damage);

  cuda::Gpu gpu_;
  Load load_;
  cuda::Stream stream_;
  gemm::Operands operands_;
  gemm::Multiplier multiplier_;
  cuda::DeviceBuffer<std::byte> reference_;
  cuda::DeviceBuffer<cuda::Mismatch> found_;
  cuda::DeviceBuffer<cuda::Mismatch> found_in_memory_;
  std::unique_ptr<MemorySweep> memory_;
  std::vector<cuda::EventTimer> timers_;
  std::vector<Window> windows_;
  std::uint64_t products_ = 0;
  std::uint64_t reference_checksum_ = 0;
  double residual_ = 0;
  double seconds_per_product_ = 0;
};

}  // namespace assay::burn
