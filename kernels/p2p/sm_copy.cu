#include "p2p/sm_copy.hpp"

namespace assay::p2p {
namespace {

constexpr int kThreads = 512;
constexpr int kBlocksPerMultiprocessor = 4;
constexpr int kUnroll = 4;  // independent 16-byte loads in flight per thread, to cover the link's latency

__global__ void copy_kernel(uint4* __restrict__ to, const uint4* __restrict__ from, std::size_t vectors, int copies) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (int copy = 0; copy < copies; ++copy) {
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + (kUnroll - 1) * threads < vectors; i += kUnroll * threads) {
      uint4 held[kUnroll];
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) held[k] = from[i + k * threads];
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) to[i + k * threads] = held[k];
    }
    for (; i < vectors; i += threads) to[i] = from[i];
  }
}

}  // namespace

void queue_sm_copies(void* to, const void* from, std::size_t bytes, int copies, int multiprocessors, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  copy_kernel<<<multiprocessors * kBlocksPerMultiprocessor, kThreads, 0, stream.get()>>>(
      static_cast<uint4*>(to), static_cast<const uint4*>(from), bytes / sizeof(uint4), copies);
  cuda::check_launch("launching a copy kernel");
}

}  // namespace assay::p2p
