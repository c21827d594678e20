// A checksum that every changed word changes: the sum of words times odd numbers, each its own by place.
#pragma once

#include <cstdint>

#include "common/host_device.hpp"

namespace assay::hplgpu {

ASSAY_HOST_DEVICE inline std::uint64_t checksum_term(std::uint64_t word, std::uint64_t index) { return word * (2 * index + 1); }

}  // namespace assay::hplgpu
