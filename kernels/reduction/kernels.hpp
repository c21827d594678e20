// The GPU's part of the reduction, which the scan uses too. All calls queue on the stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/cuda/buffer.hpp"
#include "common/cuda/stream.hpp"

namespace assay::reduction {

// Sums doubles in one pass over the data: every block its part, and the block that finishes last the sums of the blocks, so
// that the order of the additions is always the same.
class Reducer {
 public:
  Reducer(int device, const cuda::Stream& stream);

  // *result may be mapped host memory. count: a multiple of 2.
  void queue(const double* data, std::size_t count, double* result, const cuda::Stream& stream);

 private:
  unsigned blocks_;
  cuda::DeviceBuffer<double> of_blocks_;
  cuda::DeviceBuffer<unsigned> finished_;
};

// *sum = totals[0] + ... + totals[count - 1], in this order. totals may be mapped host memory.
void queue_add_up(const double* totals, int count, double* sum, const cuda::Stream& stream);

// Writes the elements `first` to `first + count - 1` of the series of common/series.hpp.
void queue_series(double* data, std::size_t count, std::uint64_t first, const cuda::Stream& stream);

// How many elements are not, to the last bit, those that queue_series() wrote. Waits for the answer.
std::uint64_t count_damaged(const double* data, std::size_t count, std::uint64_t first, const cuda::Stream& stream);

}  // namespace assay::reduction
