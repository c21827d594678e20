#include <algorithm>
#include <stdexcept>

#include "common/cuda/pattern.hpp"
#include "gpustream/l2.hpp"

namespace assay::gpustream {
namespace {

constexpr std::uint64_t kSeed = 2;
constexpr std::size_t kMebibyte = 1 << 20;
constexpr std::size_t kBytesPerLaunch = std::size_t{16} << 30;  // milliseconds, so that start and end hardly count

struct Words {
  unsigned long long low;
  unsigned long long high;
};

// Past the L1 cache, and never kept from an earlier round.
__device__ Words load(const ulonglong2* from) {
  Words words;
  asm volatile("ld.global.cg.v2.u64 {%0, %1}, [%2];" : "=l"(words.low), "=l"(words.high) : "l"(from));
  return words;
}

template <int kUnroll>
__global__ void read_kernel(const ulonglong2* buffer, std::size_t vectors, int rounds, unsigned long long* sum) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (int round = 0; round < rounds; ++round) {
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + (kUnroll - 1) * threads < vectors; i += kUnroll * threads) {
      Words words[kUnroll];
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) words[k] = load(buffer + i + k * threads);
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) mine += words[k].low + words[k].high;
    }
    for (; i < vectors; i += threads) {
      const Words words = load(buffer + i);
      mine += words.low + words.high;
    }
  }
  atomicAdd(sum, mine);
}

}  // namespace

std::size_t l2_buffer_bytes(std::size_t l2_bytes) { return std::max(l2_bytes / 3 / kMebibyte * kMebibyte, kMebibyte); }

std::vector<Shape> l2_shapes() { return {{512, 4, 1}, {512, 4, 2}, {1024, 4, 1}, {1024, 8, 1}, {512, 8, 2}}; }

L2Reader::L2Reader(int device, int multiprocessors, std::size_t bytes, const cuda::Stream& stream)
    : multiprocessors_(multiprocessors),
      rounds_(static_cast<int>(kBytesPerLaunch / bytes)),
      buffer_(device, bytes / sizeof(std::uint64_t)),
      sum_(device, 1) {
  const cuda::OnDevice on(device);
  cuda::check(cudaMemsetAsync(sum_.data(), 0, sum_.bytes(), stream.get()), "clearing a sum");
  cuda::fill_pattern(buffer_.data(), buffer_.bytes(), kSeed, stream);
  stream.synchronize();
}

double L2Reader::bytes_read() const { return static_cast<double>(rounds_) * static_cast<double>(buffer_.bytes()); }

void L2Reader::queue(const Shape& shape, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  ++launches_;
  const auto* vectors = reinterpret_cast<const ulonglong2*>(buffer_.data());
  const std::size_t count = buffer_.bytes() / sizeof(ulonglong2);
  const auto blocks = static_cast<unsigned>(multiprocessors_ * shape.waves);
  const auto threads = static_cast<unsigned>(shape.threads);
  switch (shape.unroll) {
    case 4: read_kernel<4><<<blocks, threads, 0, stream.get()>>>(vectors, count, rounds_, sum_.data()); break;
    case 8: read_kernel<8><<<blocks, threads, 0, stream.get()>>>(vectors, count, rounds_, sum_.data()); break;
    default: throw std::logic_error("unknown unroll factor");
  }
  cuda::check_launch("reading the L2 cache");
}

bool L2Reader::verify(bool damage, const cuda::Stream& stream) {
  if (damage) cuda::flip_bit(sum_.data(), 3, stream);
  unsigned long long sum = 0;
  cuda::check(cudaMemcpyAsync(&sum, sum_.data(), sizeof sum, cudaMemcpyDeviceToHost, stream.get()), "reading a sum");
  stream.synchronize();
  unsigned long long expected = 0;
  for (std::size_t i = 0; i < buffer_.count(); ++i) expected += cuda::pattern_word(i, kSeed);
  return sum == expected * static_cast<unsigned long long>(rounds_) * launches_;
}

}  // namespace assay::gpustream
