// Reads of a buffer that stays in the L2 cache of one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/cuda/buffer.hpp"
#include "common/cuda/stream.hpp"
#include "gpustream/kernels.hpp"

namespace assay::gpustream {

// A third of the cache: large caches are made of two halves, and hold twice what both halves read.
std::size_t l2_buffer_bytes(std::size_t l2_bytes);

// waves: blocks per multiprocessor.
std::vector<Shape> l2_shapes();

class L2Reader {
 public:
  // Fills the buffer. Waits.
  L2Reader(int device, int multiprocessors, std::size_t bytes, const cuda::Stream& stream);

  double bytes_read() const;  // by one launch

  // Every thread reads its share of the buffer again and again, past the L1 cache, and sums it up.
  void queue(const Shape& shape, const cuda::Stream& stream);

  // Whether the sum over all launches is right. Waits.
  bool verify(bool damage, const cuda::Stream& stream);

 private:
  int multiprocessors_;
  int rounds_;  // per launch
  unsigned long long launches_ = 0;
  cuda::DeviceBuffer<std::uint64_t> buffer_;
  cuda::DeviceBuffer<unsigned long long> sum_;
};

}  // namespace assay::gpustream
