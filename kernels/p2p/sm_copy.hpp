// A copy done by the multiprocessors instead of the copy engine.
#pragma once

#include <cstddef>

#include "common/cuda/stream.hpp"

namespace assay::p2p {

// Copies the buffer `copies` times in one launch, so that the link runs dry only once. Queued on the stream, whose GPU does the
// work; either pointer may be another GPU's memory. bytes: a multiple of 16.
void queue_sm_copies(void* to, const void* from, std::size_t bytes, int copies, int multiprocessors, const cuda::Stream& stream);

}  // namespace assay::p2p
