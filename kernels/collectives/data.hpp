// What the ranks send, and whether what they received is right.
#pragma once

#include <cstddef>

#include "collectives/operation.hpp"
#include "common/cuda/pattern.hpp"
#include "common/cuda/stream.hpp"

namespace assay::collectives {

void fill_send(float* send, std::size_t count, int rank, const cuda::Stream& stream);

// count: elements received. share: elements of one rank's share where the operation shares out. Waits.
cuda::Mismatch compare_received(const float* received, std::size_t count, std::size_t share, Operation operation, int rank,
                                int ranks, const cuda::Stream& stream);

}  // namespace assay::collectives
