// The sum of one double per thread of a block, always added in the same order, so that it is the same to the last bit on
// every run and every GPU.
#pragma once

namespace assay::cuda {

// The result is valid in thread 0. All threads of the block call it.
template <int Threads>
__device__ double block_sum(double value) {
  static_assert(Threads % 32 == 0 && Threads <= 1024);
  __shared__ double warp_sum[Threads / 32];
  const auto sum_of_warp = [](double of_thread) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) of_thread += __shfl_down_sync(~0u, of_thread, offset);
    return of_thread;
  };
  value = sum_of_warp(value);
  __syncthreads();  // an earlier call may still be reading
  if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = value;
  __syncthreads();
  return sum_of_warp(threadIdx.x < Threads / 32 ? warp_sum[threadIdx.x] : 0.0);
}

}  // namespace assay::cuda
