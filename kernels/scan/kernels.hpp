// The GPU's part of the scan. All calls queue on the stream unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/cuda/buffer.hpp"
#include "common/cuda/stream.hpp"

namespace assay::scan {

// Exclusive prefix sum in one pass (decoupled look-back, by CUB).
class Scanner {
 public:
  Scanner(int device, std::size_t count);

  // to[i] = *offset + from[0] + ... + from[i - 1]. offset: device memory, read when the scan starts.
  void queue(const double* from, double* to, double* offset, const cuda::Stream& stream);

 private:
  std::size_t count_;
  cuda::DeviceBuffer<std::byte> scratch_;
};

// How many elements are not exactly the prefix sums, from `offset` on, of the elements `first` ... of the series of
// common/series.hpp. Waits for the answer.
std::uint64_t count_wrong(const double* sums, std::size_t count, std::uint64_t first, double offset,
                          const cuda::Stream& stream);

}  // namespace assay::scan
