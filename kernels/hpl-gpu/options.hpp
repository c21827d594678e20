// What hpl-gpu can be told.
#pragma once

#include <cstdint>
#include <string>

#include "hpl-gpu/cuda_backend.hpp"
#include "hpl-gpu/factor.hpp"

namespace assay::hplgpu {

struct Options {
  std::int64_t gpus = 0;
  std::int64_t order = 0;
  std::int64_t block = 1024;
  double memory_fraction = 0.95;
  double seconds = 0;
  std::int64_t repetitions = 1;
  Tuning tuning;
  DeviceTuning device;
  std::string fault = "none";
  std::string format = "assay";
  std::string solution;
};

}  // namespace assay::hplgpu
