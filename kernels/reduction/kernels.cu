#include "reduction/kernels.hpp"

#include "common/cuda/block_sum.cuh"
#include "common/series.hpp"

namespace assay::reduction {
namespace {

constexpr int kThreads = 512;
constexpr int kPairsInFlight = 4;  // 16-byte loads that a thread has under way
constexpr unsigned kFillBlocks = 2048;

__global__ void __launch_bounds__(kThreads) sum(const double2* __restrict__ data, std::size_t pairs,
                                                double* __restrict__ of_blocks, unsigned* __restrict__ finished,
                                                double* __restrict__ result) {
  constexpr std::size_t kTile = static_cast<std::size_t>(kThreads) * kPairsInFlight;
  double2 own[kPairsInFlight] = {};
  std::size_t base = blockIdx.x * kTile;
  for (; base + kTile <= pairs; base += gridDim.x * kTile) {
#pragma unroll
    for (int i = 0; i < kPairsInFlight; ++i) {
      const double2 next = __ldcs(data + base + i * kThreads + threadIdx.x);
      own[i].x += next.x;
      own[i].y += next.y;
    }
  }
  for (std::size_t i = base + threadIdx.x; i < pairs; i += kThreads) {  // what is left is one incomplete tile
    own[0].x += data[i].x;
    own[0].y += data[i].y;
  }
  double total = 0;
#pragma unroll
  for (const double2& pair : own) total += pair.x + pair.y;
  cuda::grid_sum<kThreads>(total, of_blocks, finished, result);
}

__global__ void add_up(const volatile double* totals, int count, double* sum) {
  double value = 0;
  for (int i = 0; i < count; ++i) value += totals[i];
  *sum = value;
}

__global__ void write_series(double* data, std::size_t count, std::uint64_t first) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    data[i] = series::element(first + i);
  }
}

__global__ void find_damage(const double* data, std::size_t count, std::uint64_t first, unsigned long long* differing) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long own = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    own += __double_as_longlong(data[i]) != __double_as_longlong(series::element(first + i));
  }
  if (own != 0) atomicAdd(differing, own);
}

unsigned resident_blocks(int device) {
  const cuda::OnDevice on(device);
  int per_multiprocessor = 0;
  int multiprocessors = 0;
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, sum, kThreads, 0), "reading the occupancy");
  cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");
  return static_cast<unsigned>(per_multiprocessor * multiprocessors);
}

}  // namespace

Reducer::Reducer(int device, const cuda::Stream& stream)
    : blocks_(resident_blocks(device)), of_blocks_(device, blocks_), finished_(device, 1) {
  const cuda::OnDevice on(device);
  cuda::check(cudaMemsetAsync(finished_.data(), 0, finished_.bytes(), stream.get()), "clearing a counter");
}

void Reducer::queue(const double* data, std::size_t count, double* result, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  sum<<<blocks_, kThreads, 0, stream.get()>>>(reinterpret_cast<const double2*>(data), count / 2, of_blocks_.data(),
                                              finished_.data(), result);
  cuda::check_launch("launching the reduction");
}

void queue_add_up(const double* totals, int count, double* sum, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  add_up<<<1, 1, 0, stream.get()>>>(totals, count, sum);
  cuda::check_launch("launching the sum of the totals");
}

void queue_series(double* data, std::size_t count, std::uint64_t first, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  write_series<<<kFillBlocks, kThreads, 0, stream.get()>>>(data, count, first);
  cuda::check_launch("writing the series");
}

std::uint64_t count_damaged(const double* data, std::size_t count, std::uint64_t first, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  cuda::DeviceBuffer<unsigned long long> differing(stream.device(), 1);
  cuda::check(cudaMemsetAsync(differing.data(), 0, differing.bytes(), stream.get()), "clearing a count");
  find_damage<<<kFillBlocks, kThreads, 0, stream.get()>>>(data, count, first, differing.data());
  cuda::check_launch("searching for damage");
  unsigned long long result = 0;
  cuda::check(cudaMemcpyAsync(&result, differing.data(), sizeof result, cudaMemcpyDeviceToHost, stream.get()), "reading a count");
  stream.synchronize();
  return result;
}

}  // namespace assay::reduction
