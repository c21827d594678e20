// How kernels are started here, so that tests can compile the same sources for the host (tests/cuda-on-host).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "common/cuda/error.hpp"

#ifdef __CUDACC__
#define ASSAY_DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#else
#define ASSAY_DYNAMIC_SHARED(type, name) type* const name = static_cast<type*>(assay::cuda_on_host::dynamic_shared())
#endif

namespace assay::hplgpu {

#ifdef __CUDACC__

// Threads of a block: what was asked for. The host has fewer.
constexpr int block_threads(int wanted) { return wanted; }

template <typename... Parameters, typename... Arguments>
void launch(const std::string& action, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream,
            Arguments... arguments) {
  kernel<<<grid, block, shared, stream>>>(arguments...);
  cuda::check_launch(action);
}

// All blocks are on the GPU at once, or the launch fails. Otherwise those that wait could keep out those awaited.
template <typename Parameter>
void launch_together(const std::string& action, void (*kernel)(Parameter), dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream,
                     Parameter argument) {
  void* arguments[] = {&argument};
  cuda::check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream), action);
}

__device__ inline unsigned acquire(const unsigned* from) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

__device__ inline void release(unsigned* to, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

#else

using cuda_on_host::acquire;
using cuda_on_host::block_threads;
using cuda_on_host::launch;
using cuda_on_host::launch_together;
using cuda_on_host::release;

#endif

}  // namespace assay::hplgpu
