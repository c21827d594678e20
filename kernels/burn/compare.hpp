// Bit-exact comparison of two buffers on a GPU.
#pragma once

#include <cstddef>

#include "common/cuda/pattern.hpp"
#include "common/cuda/stream.hpp"

namespace assay::burn {

// Adds to *found (device memory, set to kNothingFound at first) what differs between `data` and `reference`, both of `bytes`
// bytes, a multiple of 16. Queued on the stream.
inline constexpr cuda::Mismatch kNothingFound{0, ~std::uint64_t{0}};
void queue_comparison(const void* data, const void* reference, std::size_t bytes, cuda::Mismatch* found,
                      const cuda::Stream& stream);

}  // namespace assay::burn
