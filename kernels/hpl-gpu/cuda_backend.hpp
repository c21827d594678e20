// The backend that is a GPU: cuBLAS, NCCL, and the kernels of this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/cuda/device.hpp"
#include "hpl-gpu/backend.hpp"
#include "hpl-gpu/team.hpp"

namespace assay::hplgpu {

struct DeviceTuning {
  std::int64_t channels = 8;       // NCCL's
  std::int64_t most_base = 16;     // columns of a panel's base case
};

// All ranks make theirs at once, each on a thread of its own.
std::unique_ptr<Backend> make_cuda_backend(const cuda::Gpu& gpu, Team& team, const DeviceTuning& tuning);

// TFLOP/s of matrix products like those of the factorization, after so many seconds of them.
double product_rate(const cuda::Gpu& gpu, double seconds);

}  // namespace assay::hplgpu
