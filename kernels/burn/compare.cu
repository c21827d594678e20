#include "burn/compare.hpp"

namespace assay::burn {
namespace {

constexpr int kThreads = 512;
constexpr int kBlocks = 1024;
constexpr int kUnroll = 4;  // pairs of 16-byte loads that a thread has under way

__device__ void record(std::size_t vector, uint4 data, uint4 reference, cuda::Mismatch* found) {
  const unsigned low = (data.x ^ reference.x) | (data.y ^ reference.y);
  const unsigned high = (data.z ^ reference.z) | (data.w ^ reference.w);
  if ((low | high) == 0) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&found->words), (low != 0 ? 1ULL : 0ULL) + (high != 0 ? 1ULL : 0ULL));
  atomicMin(reinterpret_cast<unsigned long long*>(&found->first), 2ULL * vector + (low != 0 ? 0 : 1));
}

__global__ void __launch_bounds__(kThreads) compare(const uint4* __restrict__ data, const uint4* __restrict__ reference,
                                                    std::size_t vectors, cuda::Mismatch* found) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * kThreads;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  for (; i + (kUnroll - 1) * threads < vectors; i += kUnroll * threads) {
    uint4 a[kUnroll];
    uint4 b[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      a[k] = data[i + k * threads];
      b[k] = reference[i + k * threads];
    }
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) record(i + k * threads, a[k], b[k], found);
  }
  for (; i < vectors; i += threads) record(i, data[i], reference[i], found);
}

}  // namespace

void queue_comparison(const void* data, const void* reference, std::size_t bytes, cuda::Mismatch* found,
                      const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  compare<<<kBlocks, kThreads, 0, stream.get()>>>(static_cast<const uint4*>(data), static_cast<const uint4*>(reference),
                                                  bytes / sizeof(uint4), found);
  cuda::check_launch("comparing a product");
}

}  // namespace assay::burn
