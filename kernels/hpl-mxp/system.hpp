// A diagonally dominant system, factored in half precision and refined in double.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hpl-gpu/verify.hpp"
#include "hpl-mxp/device.hpp"

namespace assay::hplmxp {

inline constexpr int kMostIterations = 50;  // the benchmark allows no more

struct Shape {
  std::int64_t order;
  std::int64_t block;
  std::int64_t strip;  // columns that are updated at once

  std::int64_t bytes() const;  // of the device's memory
};

struct Solution {
  int iterations = 0;
  hplgpu::Residual residual;  // of the last iteration: what was refined until it passed
};

class System {
 public:
  System(const Shape& shape, Device& device);

  // What the matrix is, in double: its diagonal and the norm.
  void prepare();

  // Called when a block is done: columns that are factored.
  using Progress = std::function<void(std::int64_t columns)>;
  void factor(const Progress& progress, bool damage = false);

  // Refines until the residual passes, or kMostIterations.
  Solution refine();

 private:
  struct Pass {
    std::vector<double> remainder;  // b - A x
    hplgpu::Residual residual;
  };
  Pass look(const std::vector<double>& x);
  void correct(std::vector<float>& remainder);
  Floats inverse(float* of, std::int64_t first, std::int64_t width) const { return {of + first * shape_.block, shape_.block, width, width}; }
  void factor_block(std::int64_t first, std::int64_t width);

  Shape shape_;
  Device& device_;
  float scale_;  // of L: without it, its elements would be too small for half precision
  Floats a_, product_, top_;
  Halves l_, u_;
  float *l_inverses_, *u_inverses_, *vector_, *part_;
  double *diagonal_on_device_, *x_, *products_, *sums_;
  std::vector<double> numbers_, diagonal_, right_side_, solution_;
  double norm_ = 0;
};

}  // namespace assay::hplmxp
