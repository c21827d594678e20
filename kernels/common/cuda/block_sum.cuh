// Sums of one double per thread, of a block or of all blocks of a kernel. They are always added in the same order, so that a sum is
// the same to the last bit on every run and every GPU.
#pragma once

namespace assay::cuda {

// The sum over a block, valid in thread 0. All threads of the block call it. A block has `threads` threads, a multiple of 32.
template <int MostThreads>
__device__ double block_sum(double value, unsigned threads = MostThreads) {
  static_assert(MostThreads % 32 == 0 && MostThreads <= 1024);
  __shared__ double warp_sum[MostThreads / 32];
  const auto sum_of_warp = [](double of_thread) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) of_thread += __shfl_down_sync(~0u, of_thread, offset);
    return of_thread;
  };
  value = sum_of_warp(value);
  __syncthreads();  // an earlier call may still be reading
  if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = value;
  __syncthreads();
  return sum_of_warp(threadIdx.x < threads / 32 ? warp_sum[threadIdx.x] : 0.0);
}

// The sum over all blocks, in *result when the kernel ends: the block that finishes last adds what the others left in of_blocks.
// All threads of all blocks call it, as the last thing they do. finished is 0 before the first launch, and again after every launch.
template <int MostThreads>
__device__ void grid_sum(double value, double* of_blocks, unsigned* finished, double* result, unsigned threads = MostThreads) {
  value = block_sum<MostThreads>(value, threads);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    of_blocks[blockIdx.x] = value;
    __threadfence();
    is_last = atomicAdd(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  value = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += threads) value += __ldcg(of_blocks + i);
  value = block_sum<MostThreads>(value, threads);
  if (threadIdx.x == 0) {
    *result = value;
    *finished = 0;
  }
}

}  // namespace assay::cuda
