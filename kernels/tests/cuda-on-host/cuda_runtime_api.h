// Stands in for CUDA's header where kernels are compiled for the host, to test them without a GPU: a block's threads are threads, the
// blocks of a cooperative launch processes, and __shared__ memory is that of a process. Everything is done when a launch returns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned first = 1, unsigned second = 1, unsigned third = 1) : x(first), y(second), z(third) {}
};
extern thread_local dim3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount, cudaDevAttrMaxSharedMemoryPerBlockOptin };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

cudaError_t cudaMalloc(void** memory, std::size_t bytes);  // all processes see it
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "error"; }
inline const char* cudaGetErrorName(cudaError_t) { return "error"; }
template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) {
  return cudaSuccess;
}

namespace assay::cuda_on_host {

// What the GPU has that there is not.
inline constexpr int kMultiprocessors = 5;
inline constexpr int kSharedBytes = 16 << 10;

constexpr int block_threads(int wanted) { return wanted < 64 ? wanted : 64; }

void* dynamic_shared();
void meet_block();
void meet_warp();
std::byte* lane(unsigned number);  // of the calling thread's warp

void run(dim3 grid, dim3 block, std::size_t shared, const std::function<void()>& body);
void run_together(dim3 grid, dim3 block, std::size_t shared, const std::function<void()>& body);

template <typename... Parameters, typename... Arguments>
void launch(const std::string&, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared, cudaStream_t, Arguments... arguments) {
  run(grid, block, shared, [&] { kernel(arguments...); });
}

template <typename Parameter>
void launch_together(const std::string&, void (*kernel)(Parameter), dim3 grid, dim3 block, std::size_t shared, cudaStream_t, Parameter argument) {
  run_together(grid, block, shared, [&] { kernel(argument); });
}

unsigned acquire(const unsigned* from);
void release(unsigned* to, unsigned value);

}  // namespace assay::cuda_on_host

using std::max;
using std::min;

inline void __syncthreads() { assay::cuda_on_host::meet_block(); }

template <typename T>
T __shfl_down_sync(unsigned, T value, unsigned offset) {
  const unsigned own = (threadIdx.x + threadIdx.y * blockDim.x) % 32;
  std::memcpy(assay::cuda_on_host::lane(own), &value, sizeof value);
  assay::cuda_on_host::meet_warp();
  if (own + offset < 32) std::memcpy(&value, assay::cuda_on_host::lane(own + offset), sizeof value);
  assay::cuda_on_host::meet_warp();
  return value;
}

template <typename T>
T __ldcg(const T* from) {
  return *static_cast<const volatile T*>(from);
}

inline void atomicAdd(unsigned long long* to, unsigned long long value) { __atomic_fetch_add(to, value, __ATOMIC_RELAXED); }
inline unsigned atomicAdd(unsigned* to, unsigned value) { return __atomic_fetch_add(to, value, __ATOMIC_RELAXED); }

template <typename To, typename From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
inline double __longlong_as_double(long long bits) { return bits_as<double>(bits); }
inline long long __double_as_longlong(double value) { return bits_as<long long>(value); }
inline float __int_as_float(int bits) { return bits_as<float>(bits); }
inline int __float_as_int(float value) { return bits_as<int>(value); }
