#include <algorithm>

#include "common/cuda/buffer.hpp"
#include "common/cuda/pattern.hpp"

namespace assay::cuda {
namespace {

constexpr unsigned kThreads = 256;

unsigned blocks_for(std::size_t words) {
  constexpr std::size_t kMostBlocks = 132 * 16;
  return static_cast<unsigned>(std::clamp<std::size_t>((words + kThreads - 1) / kThreads, 1, kMostBlocks));
}

__global__ void fill_kernel(std::uint64_t* data, std::size_t words, std::uint64_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += stride) {
    data[i] = pattern_word(i, seed);
  }
}

__global__ void compare_kernel(const std::uint64_t* data, std::size_t words, std::uint64_t seed, Mismatch* found) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long differing = 0;
  unsigned long long first = ~0ULL;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += stride) {
    if (data[i] == pattern_word(i, seed)) continue;
    ++differing;
    first = min(first, static_cast<unsigned long long>(i));
  }
  if (differing == 0) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&found->words), differing);
  atomicMin(reinterpret_cast<unsigned long long*>(&found->first), first);
}

__global__ void flip_kernel(std::uint8_t* data, std::size_t byte) { data[byte] ^= 0x10; }

}  // namespace

std::string describe(const Mismatch& mismatch) {
  return std::to_string(mismatch.words) + " words differ, the first at byte " + std::to_string(mismatch.first * 8);
}

void fill_pattern(void* data, std::size_t bytes, std::uint64_t seed, const Stream& stream) {
  const OnDevice on(stream.device());
  const std::size_t words = bytes / sizeof(std::uint64_t);
  fill_kernel<<<blocks_for(words), kThreads, 0, stream.get()>>>(static_cast<std::uint64_t*>(data), words, seed);
  check_launch("filling a buffer");
}

Mismatch compare_pattern(const void* data, std::size_t bytes, std::uint64_t seed, const Stream& stream) {
  const OnDevice on(stream.device());
  const std::size_t words = bytes / sizeof(std::uint64_t);
  DeviceBuffer<Mismatch> found(stream.device(), 1);
  const Mismatch nothing{0, ~0ULL};
  check(cudaMemcpyAsync(found.data(), &nothing, sizeof nothing, cudaMemcpyHostToDevice, stream.get()), "clearing a count");
  compare_kernel<<<blocks_for(words), kThreads, 0, stream.get()>>>(static_cast<const std::uint64_t*>(data), words, seed,
                                                                   found.data());
  check_launch("comparing a buffer");
  Mismatch result;
  check(cudaMemcpyAsync(&result, found.data(), sizeof result, cudaMemcpyDeviceToHost, stream.get()), "reading a count");
  stream.synchronize();
  return result;
}

void poison(void* data, std::size_t bytes, const Stream& stream) {
  const OnDevice on(stream.device());
  check(cudaMemsetAsync(data, 0xEE, bytes, stream.get()), "poisoning a buffer");
}

void flip_bit(void* data, std::size_t byte, const Stream& stream) {
  const OnDevice on(stream.device());
  flip_kernel<<<1, 1, 0, stream.get()>>>(static_cast<std::uint8_t*>(data), byte);
  check_launch("damaging a buffer");
}

}  // namespace assay::cuda
