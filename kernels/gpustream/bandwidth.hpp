// The memory bandwidth of all GPUs at once, kernel by kernel.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "common/cuda/device.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/integrity.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/document.hpp"
#include "gpustream/kernels.hpp"

namespace assay::gpustream {

// How the kernels are sampled and what a part's value is.
struct Plan {
  double budget_seconds = 0.3;  // most seconds of sampling per kernel
  bool best = false;            // the best sample instead of the median
  bool alone = false;           // also every GPU while the others are idle
  bool inject_bitflip = false;
};

// Three arrays, each in at most a quarter of what is free on the fullest GPU.
std::size_t fit_arrays(std::size_t wanted, const std::vector<cuda::Gpu>& gpus, Document& doc);

// What the memory bus would carry at the clock that was read.
void report_peak_at_clock(const std::vector<cuda::Gpu>& gpus, const std::vector<cuda::Averages>& averages, Document& doc);

class Bandwidth {
 public:
  Bandwidth(const Plan& plan, const std::vector<cuda::Gpu>& gpus, std::size_t array_bytes, Document& doc, cuda::Integrity& integrity);

  // The kernels up to and with `last`, in their order, because each works on what the ones before it left. Only from `first` on are they
  // measured and verified.
  void run(Precision precision, Kernel first = Kernel::Copy, Kernel last = Kernel::Dot);

  void run_l2();

 private:
  cuda::Flow flow(std::size_t gpu, Kernel kernel, Precision precision, const Shape& shape);
  template <typename FlowsWith>
  Shape fastest(const std::vector<Shape>& shapes, FlowsWith flows_with);
  Shape fastest_shape(Kernel kernel, Precision precision);
  void measure_all(Kernel kernel, Precision precision);
  void measure(Kernel kernel, Precision precision, const Shape& shape, const std::vector<std::size_t>& which, const std::string& suffix);

  Plan plan_;
  const std::vector<cuda::Gpu>& gpus_;
  Document& doc_;
  cuda::Integrity& integrity_;
  std::deque<Arrays> arrays_;
  std::deque<cuda::Stream> streams_;
  cuda::Latch latch_;
};

}  // namespace assay::gpustream
