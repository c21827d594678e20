// The STREAM kernels on one GPU, their expected results and the shapes that they can be launched in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/cuda/buffer.hpp"
#include "common/cuda/pattern.hpp"
#include "common/cuda/stream.hpp"
#include "gpustream/traffic.hpp"

namespace assay::gpustream {

// How the work is cut. Which is fastest depends on the architecture and is measured, not guessed.
struct Shape {
  int threads = 256;  // per block
  int unroll = 1;     // 16-byte accesses per thread and array
  int waves = 0;      // 0: as many blocks as the arrays need; else blocks per multiprocessor, which loop
};

std::vector<Shape> candidate_shapes(Kernel kernel);

// Three arrays on one GPU. The kernels do not feed back: each can be repeated without changing its result.
class Arrays {
 public:
  Arrays(int device, int multiprocessors, std::size_t bytes);

  std::size_t bytes() const { return a_.bytes(); }

  // a = values in (-1, 1) by a fixed seed.
  void initialize(Precision precision, const cuda::Stream& stream);

  // Fills what the kernel writes with something that it must overwrite.
  void poison_output(Kernel kernel, const cuda::Stream& stream);

  void queue(Kernel kernel, Precision precision, const Shape& shape, const cuda::Stream& stream);

  // After copy, mul, add, triad and dot were run in this order. Every element has to be the exact result; the dot product is
  // compared with a sum in another order. Waits.
  struct Verdict {
    bool ok;
    std::string what;
  };
  Verdict verify(Kernel kernel, Precision precision, bool damage, const cuda::Stream& stream);

 private:
  cuda::DeviceBuffer<std::byte>& output(Kernel kernel);

  int multiprocessors_;
  cuda::DeviceBuffer<std::byte> a_;
  cuda::DeviceBuffer<std::byte> b_;
  cuda::DeviceBuffer<std::byte> c_;
  cuda::DeviceBuffer<double> partials_;  // of the dot product's blocks; the result comes first
  cuda::DeviceBuffer<unsigned> blocks_done_;
};

}  // namespace assay::gpustream
