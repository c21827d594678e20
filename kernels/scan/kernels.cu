#include "scan/kernels.hpp"

#include "common/series.hpp"

namespace assay::scan {
namespace {

constexpr int kThreads = 384;
constexpr int kWarps = kThreads / 32;
// As many as registers can be found for, since they hold all that is under way.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int kBlocksPerMultiprocessor = 2;  // Turing has 1024 threads at most
#else
constexpr int kBlocksPerMultiprocessor = 3;
#endif
constexpr int kRows = 8;  // a warp holds so many rows of 32 pairs of elements
constexpr std::size_t kPairsPerWarp = std::size_t{32} * kRows;
constexpr std::size_t kPairsPerTile = kPairsPerWarp * kWarps;
constexpr unsigned long long kUnknown = ~0ULL;
constexpr unsigned kAll = ~0U;

// The bits of a sum are their own flag. The one value that would read as unknown, a NaN, becomes another NaN.
__device__ unsigned long long bits_of(double sum) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(sum));
  return bits == kUnknown ? kUnknown >> 1 : bits;
}
__device__ double from_bits(unsigned long long bits) { return __longlong_as_double(static_cast<long long>(bits)); }

__device__ void publish(unsigned long long* word, double sum) {
  *reinterpret_cast<volatile unsigned long long*>(word) = bits_of(sum);
}

// The two words may be seen at different times: each means something by itself.
__device__ TileState wait_for(const TileState* state) {
  TileState seen;
  do {
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(seen.through), "=l"(seen.own) : "l"(state));
  } while (seen.through == kUnknown && seen.own == kUnknown);
  return seen;
}

struct Running {
  double before;  // sum of all lanes before this one
  double total;   // sum of all lanes
};

template <int Lanes>
__device__ Running scan_lanes(double value, int lane) {
  double sum = value;
#pragma unroll
  for (int distance = 1; distance < Lanes; distance *= 2) {
    const double other = __shfl_up_sync(kAll, sum, distance);
    if (lane >= distance) sum += other;
  }
  const double before = __shfl_up_sync(kAll, sum, 1);
  return {lane == 0 ? 0 : before, __shfl_sync(kAll, sum, Lanes - 1)};
}

// Sum of all tiles before `tile`, by a whole warp: back to the nearest tile whose total is known, adding up what lies between.
__device__ double look_back(const TileState* states, long long tile, int lane) {
  double sum = 0;
  for (long long nearest = tile - 1;; nearest -= 32) {
    double own = 0;
    bool is_end = false;
    if (nearest - lane >= 0) {
      const TileState state = wait_for(states + nearest - lane);
      is_end = state.through != kUnknown;
      own = from_bits(is_end ? state.through : state.own);
    }
    const unsigned ends = __ballot_sync(kAll, is_end);
    const int last = ends == 0 ? 31 : __ffs(static_cast<int>(ends)) - 1;  // lanes beyond saw what is already included
    if (lane > last) own = 0;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) own += __shfl_xor_sync(kAll, own, distance);
    sum += own;
    if (ends != 0) return sum;
  }
}

// handed_out: all bits set before the launch. Tiles are taken in order, so that what a tile waits for is always under way.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    scan(const double2* __restrict__ from, double2* __restrict__ to, std::size_t pairs, const double* __restrict__ offset,
         TileState* __restrict__ states, unsigned* __restrict__ handed_out) {
  __shared__ unsigned taken;
  __shared__ double of_warp[kWarps];
  if (threadIdx.x == 0) taken = atomicAdd(handed_out, 1U) + 1;
  __syncthreads();
  const long long tile = taken;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const std::size_t first = static_cast<std::size_t>(tile) * kPairsPerTile + warp * kPairsPerWarp + lane;

  double2 pair[kRows];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    pair[row] = first + row * 32 < pairs ? __ldcs(from + first + row * 32) : double2{0, 0};
  }
  double sum = 0;
#pragma unroll
  for (const double2& each : pair) sum += each.x + each.y;
  const double of_own_warp = scan_lanes<32>(sum, lane).total;
  if (lane == 0) of_warp[warp] = of_own_warp;
  __syncthreads();
  // The first warp publishes the tile's sum as early as it can, and looks back while the others go on.
  Running warps{0, 0};
  if (warp == 0) {
    warps = scan_lanes<kWarps>(lane < kWarps ? of_warp[lane] : 0, lane);
    if (lane == 0 && tile > 0) publish(&states[tile].own, warps.total);
  }
  double before[kRows];
  double sum_of_rows = 0;
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const Running running = scan_lanes<32>(pair[row].x + pair[row].y, lane);
    before[row] = sum_of_rows + running.before;
    sum_of_rows += running.total;
  }
  if (warp == 0) {
    const double start = tile == 0 ? *offset : look_back(states, tile, lane);
    if (lane == 0) publish(&states[tile].through, start + warps.total);
    if (lane < kWarps) of_warp[lane] = start + warps.before;
  }
  __syncthreads();
  const double start = of_warp[warp];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const double at = start + before[row];
    if (first + row * 32 < pairs) __stcs(to + first + row * 32, double2{at, at + pair[row].x});
  }
}

// Sums are exact, so the difference of two that follow each other is exactly the element between them.
__global__ void find_wrong(const double* sums, std::size_t count, std::uint64_t first, double offset,
                           unsigned long long* wrong) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long own = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const double expected = i == 0 ? offset : sums[i - 1] + series::element(first + i - 1);
    own += __double_as_longlong(sums[i]) != __double_as_longlong(expected);
  }
  if (own != 0) atomicAdd(wrong, own);
}

}  // namespace

Scanner::Scanner(int device, std::size_t count)
    : count_(count), tiles_((count / 2 + kPairsPerTile - 1) / kPairsPerTile), states_(device, tiles_ + 1) {}

void Scanner::queue(const double* from, double* to, const double* offset, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  cuda::check(cudaMemsetAsync(states_.data(), 0xff, states_.bytes(), stream.get()), "clearing the tile states");
  scan<<<static_cast<unsigned>(tiles_), kThreads, 0, stream.get()>>>(
      reinterpret_cast<const double2*>(from), reinterpret_cast<double2*>(to), count_ / 2, offset, states_.data(),
      reinterpret_cast<unsigned*>(states_.data() + tiles_));
  cuda::check_launch("launching the scan");
}

std::uint64_t count_wrong(const double* sums, std::size_t count, std::uint64_t first, double offset,
                          const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  cuda::DeviceBuffer<unsigned long long> wrong(stream.device(), 1);
  cuda::check(cudaMemsetAsync(wrong.data(), 0, wrong.bytes(), stream.get()), "clearing a count");
  find_wrong<<<2048, 512, 0, stream.get()>>>(sums, count, first, offset, wrong.data());
  cuda::check_launch("verifying the scan");
  unsigned long long result = 0;
  cuda::check(cudaMemcpyAsync(&result, wrong.data(), sizeof result, cudaMemcpyDeviceToHost, stream.get()), "reading a count");
  stream.synchronize();
  return result;
}

}  // namespace assay::scan
