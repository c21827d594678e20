// One GPU with the product that it repeats.
#pragma once

#include <cstddef>
#include <vector>

#include "common/cuda/device.hpp"
#include "gemm/blas.hpp"

namespace assay::gemm {

class Worker {
 public:
  Worker(const cuda::Gpu& gpu, Precision precision, std::size_t n, Library library);

  const cuda::Gpu& gpu() const { return gpu_; }
  const cuda::Stream& stream() const { return stream_; }
  Operands& operands() { return operands_; }
  Multiplier& multiplier() { return multiplier_; }

  // Seconds of one product, after one that is not timed because it loads code.
  double seconds_of_one();

  // The same with each candidate.
  std::vector<double> try_all();

  // Multiplies without a pause for `settling` and then `counted` seconds; returns the seconds of each window of `per_window`
  // products that began after the settling, at least six. window_seconds: about how long one takes. Throws Stopped once the program
  // was told to end.
  std::vector<double> work(int per_window, double window_seconds, double settling, double counted);

 private:
  cuda::Gpu gpu_;
  cuda::Stream stream_;
  Operands operands_;
  Multiplier multiplier_;
};

}  // namespace assay::gemm
