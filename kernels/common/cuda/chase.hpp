// The pointer chase: the latency of one load after another, each address known only when the last load is done.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/cuda/stream.hpp"

namespace assay::cuda {

inline constexpr std::size_t kChaseStrideBytes = 128;  // a cache line: no load finds its line already there

// What a chase wrote: the nanoseconds of its timed loads on all multiprocessors, and on how many it ended at a wrong place.
struct Chased {
  std::uint64_t nanoseconds = 0;
  std::uint64_t astray = 0;
};

// Makes a ring of pointers, one per stride, each to the next. ring: device or pinned host memory, of this GPU or another.
void queue_chase_setup(void* ring, std::size_t bytes, const Stream& stream);

// From each of `multiprocessors` in turn, follows the ring for `steps` timed loads and adds to *chased (mapped memory). The
// distance to memory differs by several percent between multiprocessors: the mean over all is the GPU's, one alone is luck.
void queue_chase(const void* ring, std::size_t bytes, std::uint64_t steps, int multiprocessors, Chased* chased,
                 const Stream& stream);

}  // namespace assay::cuda
