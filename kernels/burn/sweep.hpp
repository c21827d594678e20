// Memory that is read, compared and rewritten again and again, slice by slice, while the GPU is under load.
#pragma once

#include <cstddef>
#include <cstdint>

#include "burn/position.hpp"
#include "common/cuda/buffer.hpp"
#include "common/cuda/pattern.hpp"

namespace assay::burn {

class MemorySweep {
 public:
  // Fills the memory. Queued on the stream.
  MemorySweep(int device, std::size_t bytes, const cuda::Stream& stream);

  // Compares the next slice with its pattern, adds to *found what differs, and writes the inverse. Queued on the stream.
  void queue_slice(cuda::Mismatch* found, const cuda::Stream& stream);

  // The same with every slice once. Queued on the stream.
  void queue_all(cuda::Mismatch* found, const cuda::Stream& stream);

  void damage(const cuda::Stream& stream) { cuda::flip_bit(memory_.data(), memory_.bytes() / 3, stream); }

  std::size_t bytes() const { return memory_.bytes(); }
  std::uint64_t sweeps() const { return position_.sweeps(); }

 private:
  cuda::DeviceBuffer<std::uint64_t> memory_;
  SweepPosition position_;
};

}  // namespace assay::burn
