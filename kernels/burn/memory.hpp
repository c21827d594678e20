// How much memory a run tests, and with how much it is a test at all. Host code only.
#pragma once

#include <cstddef>

#include "common/cuda/counters.hpp"

namespace assay::burn {

// What a pattern takes of so much free memory, once the matrices are there: four of order n, of eight bytes at most.
inline cuda::Share pattern_share(double fraction, std::size_t n) {
  return [fraction, matrices = 4 * sizeof(double) * n * n](std::size_t free) {
    return free <= matrices ? 0 : static_cast<std::size_t>(fraction * static_cast<double>(free - matrices)) >> 20 << 20;
  };
}

// Whoever leaves less than four fifths of what a GPU of this size has to give keeps too much from being tested. No more is asked for: what
// a desktop or the driver takes is no reason to test nothing.
inline cuda::BufferSize pattern_size(std::size_t gpu_bytes, double fraction, std::size_t n) {
  constexpr double kEnough = 0.8;
  return {pattern_share(fraction, n)(static_cast<std::size_t>(kEnough * static_cast<double>(gpu_bytes))), 0};
}

}  // namespace assay::burn
