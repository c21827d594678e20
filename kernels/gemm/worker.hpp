// One GPU with the product that it repeats.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "common/cuda/device.hpp"
#include "gemm/blas.hpp"

namespace assay::gemm {

struct Load {
  int per_window;   // products
  double settling;  // seconds
};

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

  // Multiplies without a pause until add() says that it was enough. Returns the seconds of each window of products that began when the
  // settling was over; add() is told of each. Throws Stopped once the program was told to end.
  std::vector<double> work(const Load& load, const std::function<bool(double)>& add);

 private:
  cuda::Gpu gpu_;
  cuda::Stream stream_;
  Operands operands_;
  Multiplier multiplier_;
};

}  // namespace assay::gemm
