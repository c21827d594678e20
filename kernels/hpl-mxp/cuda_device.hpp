// The device that is a GPU.
#pragma once

#include <memory>

#include "common/cuda/device.hpp"
#include "hpl-mxp/device.hpp"

namespace assay::hplmxp {

std::unique_ptr<Device> make_cuda_device(const cuda::Gpu& gpu);

}  // namespace assay::hplmxp
