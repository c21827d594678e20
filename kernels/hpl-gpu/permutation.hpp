// What the row swaps of a panel come to. Pivot i means: rows i and pivots[i] change places, one after the other.
#pragma once

#include <cstdint>

#include "common/host_device.hpp"

namespace assay::hplgpu {

// Which row's content stands in `row` after all `count` swaps. Every row is traced on its own, so that all can be at once.
ASSAY_HOST_DEVICE inline std::int32_t source_of(std::int32_t row, const std::int32_t* pivots, std::int32_t count) {
  for (std::int32_t i = count - 1; i >= 0; --i) {
    if (row == i) {
      row = pivots[i];
    } else if (row == pivots[i]) {
      row = i;
    }
  }
  return row;
}

}  // namespace assay::hplgpu
