// The pointer chase: the latency of one load after another, each address known only when the last load is done.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/cuda/stream.hpp"

namespace assay::cuda {

inline constexpr std::size_t kChaseStrideBytes = 128;  // a cache line: no load finds its line already there

// Makes a ring of pointers, one per stride, each to the next. ring: device or pinned host memory, of this GPU or another.
void queue_chase_setup(void* ring, std::size_t bytes, const Stream& stream);

// Follows the ring for `steps` loads and writes the byte offset of where it arrived to *arrived (device or mapped memory).
void queue_chase(const void* ring, std::uint64_t steps, std::uint64_t* arrived, const Stream& stream);

// Where an undamaged ring must have led.
inline std::uint64_t chase_end(std::size_t bytes, std::uint64_t steps) {
  return steps % (bytes / kChaseStrideBytes) * kChaseStrideBytes;
}

}  // namespace assay::cuda
