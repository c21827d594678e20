#include "common/cuda/chase.hpp"

namespace assay::cuda {
namespace {

__global__ void setup_kernel(std::uint64_t* ring, std::size_t strides) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= strides) return;
  constexpr std::size_t kWords = kChaseStrideBytes / sizeof(std::uint64_t);
  ring[i * kWords] = reinterpret_cast<std::uint64_t>(ring + (i + 1) % strides * kWords);
}

__global__ void chase_kernel(const std::uint64_t* ring, std::uint64_t steps, std::uint64_t* arrived) {
  auto at = reinterpret_cast<std::uint64_t>(ring);
  for (std::uint64_t step = 0; step < steps; ++step) at = *reinterpret_cast<const volatile std::uint64_t*>(at);
  *arrived = at - reinterpret_cast<std::uint64_t>(ring);
}

}  // namespace

void queue_chase_setup(void* ring, std::size_t bytes, const Stream& stream) {
  const OnDevice on(stream.device());
  const std::size_t strides = bytes / kChaseStrideBytes;
  setup_kernel<<<static_cast<unsigned>((strides + 255) / 256), 256, 0, stream.get()>>>(static_cast<std::uint64_t*>(ring),
                                                                                      strides);
  check_launch("launching the set-up of a pointer chase");
}

void queue_chase(const void* ring, std::uint64_t steps, std::uint64_t* arrived, const Stream& stream) {
  const OnDevice on(stream.device());
  chase_kernel<<<1, 1, 0, stream.get()>>>(static_cast<const std::uint64_t*>(ring), steps, arrived);
  check_launch("launching a pointer chase");
}

}  // namespace assay::cuda
