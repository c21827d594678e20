// The GPU's part of the scan.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/cuda/buffer.hpp"
#include "common/cuda/stream.hpp"

namespace assay::scan {

// What is known of a tile: its own sum, then the sum of everything up to its end. All bits set: not known yet.
struct alignas(16) TileState {
  unsigned long long through;
  unsigned long long own;
};

// Exclusive prefix sum in a single pass with decoupled look-back (Merrill and Garland 2016): every tile is read once and
// written once; its predecessors' sums come through a small array of tile states.
class Scanner {
 public:
  Scanner(int device, std::size_t count);  // count: a multiple of 2

  // to[i] = *offset + from[0] + ... + from[i - 1]. offset: device memory, read when the scan runs. Queued on the stream.
  void queue(const double* from, double* to, const double* offset, const cuda::Stream& stream);

 private:
  std::size_t count_;
  std::size_t tiles_;
  cuda::DeviceBuffer<TileState> states_;  // one per tile, and one whose first word hands out the tiles
};

// How many elements are not exactly the prefix sums, from `offset` on, of the elements `first` ... of the series of
// common/series.hpp. Waits for the answer.
std::uint64_t count_wrong(const double* sums, std::size_t count, std::uint64_t first, double offset,
                          const cuda::Stream& stream);

}  // namespace assay::scan
