#include "stencil-gpu/tiled.hpp"

#include <cuda_pipeline.h>

#include <algorithm>

#include "hpl-gpu/launch.hpp"

namespace assay::stencil {
namespace {

using hplgpu::launch;

constexpr int kLanes = 32;
constexpr int kReachZ = 2;
constexpr int kCopies = 3;  // vectors of a row that one thread asks for, at most
constexpr int kMostThreads = 1024;
constexpr int kMostBlocks = 2;  // on a multiprocessor
constexpr int kFewestRows = 8;  // of a chunk: each reads six more

template <typename Real>
constexpr int kWide = kVectorBytes / static_cast<int>(sizeof(Real));
template <typename Real>
constexpr int kSide = (kReach + kWide<Real> - 1) / kWide<Real>;  // vectors beside a tile
template <typename Real>
constexpr int kPitch = kLanes + 2 * kSide<Real>;

template <typename Real>
struct alignas(kVectorBytes) Vector {
  Real of[kWide<Real>];
};

__device__ int wrapped(int at, int length) { return (at % length + length) % length; }

// A tile with the cells beside it, row after row of the slab, on its way through shared memory. Rows are asked for long before they are needed.
template <typename Real>
class Ring {
 public:
  __device__ Ring(const Tiling& tiling, const Real* now, int begin, int end, int x, int z, Vector<Real>* memory)
      : now_(now), tiling_(tiling), begin_(begin), end_(end), memory_(memory), plane_((tiling.height + 2 * kReachZ) * kPitch<Real>) {
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    first_ = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      const int at = first_ + i * threads;
      const int column = wrapped(x + (at % kPitch<Real> - kSide<Real>)*kWide<Real>, tiling.nx);
      from_[i] = wrapped(z + at / kPitch<Real> - kReachZ, tiling.nz) * tiling.nx + column;
    }
  }

  __device__ const Real* row(int y) const {
    const int at = tiling_.wraps ? (y < 0 ? y + tiling_.rows : y >= tiling_.rows ? y - tiling_.rows : y) : y;
    return now_ + static_cast<long long>(at) * tiling_.nx * tiling_.nz;
  }

  __device__ void ask_for(int y) {
    if (y < end_ + kReach) {
      const Real* from = row(y);
      Vector<Real>* to = slot(y);
      const int threads = static_cast<int>(blockDim.x * blockDim.y);
#pragma unroll
      for (int i = 0; i < kCopies; ++i) {
        const int at = first_ + i * threads;
        if (at < plane_) __pipeline_memcpy_async(to + at, from + from_[i], kVectorBytes);
      }
    }
    __pipeline_commit();
  }

  // The thread's own vector of a row; those of its neighbours lie around it.
  __device__ const Vector<Real>* own(int y) const {
    return slot(y) + (static_cast<int>(threadIdx.y) + kReachZ) * kPitch<Real> + kSide<Real> + static_cast<int>(threadIdx.x);
  }

 private:
  __device__ Vector<Real>* slot(int y) const { return memory_ + (y - begin_) % kRing * plane_; }

  const Real* now_;
  const Tiling& tiling_;
  int begin_, end_;
  Vector<Real>* memory_;
  int plane_;
  int first_;
  int from_[kCopies];
};

template <typename Real>
__device__ Vector<Real> change_of(const Weights<Real>& w, const Vector<Real> (&y)[kWidth], const Vector<Real>* here) {
  constexpr int kOwn = kSide<Real> * kWide<Real>;
  Real line[(2 * kSide<Real> + 1) * kWide<Real>];
#pragma unroll
  for (int i = 0; i < 2 * kSide<Real> + 1; ++i) {
    const Vector<Real> vector = i == kSide<Real> ? y[kReach] : here[i - kSide<Real>];
#pragma unroll
    for (int c = 0; c < kWide<Real>; ++c) line[i * kWide<Real> + c] = vector.of[c];
  }
  const Vector<Real> z1 = here[-2 * kPitch<Real>], z2 = here[-kPitch<Real>], z4 = here[kPitch<Real>], z5 = here[2 * kPitch<Real>];
  Vector<Real> result;
#pragma unroll
  for (int c = 0; c < kWide<Real>; ++c) {
    const Real* x = line + kOwn + c;
    Real change = w.x[3] * x[0] + w.x[0] * x[-3] + w.x[1] * x[-2] + w.x[2] * x[-1] + w.x[4] * x[1] + w.x[5] * x[2] + w.x[6] * x[3];
    change += w.y[0] * y[0].of[c] + w.y[1] * y[1].of[c] + w.y[2] * y[2].of[c] + w.y[4] * y[4].of[c] + w.y[5] * y[5].of[c] + w.y[6] * y[6].of[c];
    change += w.z[1] * z1.of[c] + w.z[2] * z2.of[c] + w.z[4] * z4.of[c] + w.z[5] * z5.of[c];
    result.of[c] = change;
  }
  return result;
}

// A thread walks along y with a vector of cells along x, and keeps the seven around it in registers.
template <typename Real>
__global__ void __launch_bounds__(kMostThreads)
    tiles(Tiling tiling, Chunks chunks, Weights<Real> w, Real share, const Real* start, const Real* now, Real* next) {
  ASSAY_DYNAMIC_SHARED(Vector<float>, memory);
  const int tiles_x = (tiling.nx + kLanes * kWide<Real> - 1) / (kLanes * kWide<Real>);
  const int left = static_cast<int>(blockIdx.x) % tiles_x * kLanes * kWide<Real>, low = static_cast<int>(blockIdx.x) / tiles_x * tiling.height;
  const int begin = chunks.first + static_cast<int>(blockIdx.y) * chunks.stride;
  const int end = min(begin + chunks.each, chunks.last);
  const int x = left + static_cast<int>(threadIdx.x) * kWide<Real>, z = low + static_cast<int>(threadIdx.y);
  const bool is_cell = x < tiling.nx && z < tiling.nz;
  const long long row = static_cast<long long>(tiling.nx) * tiling.nz, here = is_cell ? z * tiling.nx + x : 0;
  const auto vector_at = [](const Real* from) { return *reinterpret_cast<const Vector<Real>*>(from); };

  Ring<Real> ring(tiling, now, begin, end, left, low, reinterpret_cast<Vector<Real>*>(memory));
  for (int y = begin; y < begin + kRing - 1; ++y) ring.ask_for(y);
  Vector<Real> around[kWidth];
#pragma unroll
  for (int i = 0; i < kReach; ++i) around[i] = vector_at(ring.row(begin - kReach + i) + here);
  Vector<Real> began = vector_at(start + begin * row + here);
  __pipeline_wait_prior(kRing - 1 - kReach);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kReach; ++i) around[kReach + i] = *ring.own(begin + i);
  for (int y = begin; y < end; ++y) {
    __pipeline_wait_prior(kRing - 2 - kReach);
    __syncthreads();  // row y + 3 is there for all, and nobody needs row y - 1 any more
    ring.ask_for(y + kRing - 1);
    around[kWidth - 1] = *ring.own(y + kReach);
    Vector<Real> value = change_of(w, around, ring.own(y));
    const Vector<Real> from = start == now ? around[kReach] : began;
    if (start != now && y + 1 < end) began = vector_at(start + (y + 1) * row + here);
#pragma unroll
    for (int c = 0; c < kWide<Real>; ++c) value.of[c] = from.of[c] + share * value.of[c];
    if (is_cell) *reinterpret_cast<Vector<Real>*>(next + y * row + here) = value;
#pragma unroll
    for (int i = 1; i < kWidth; ++i) around[i - 1] = around[i];
  }
}

int parts(int count, int of) { return (count + of - 1) / of; }

int tile_count(const Tiling& tiling, std::size_t real_bytes) {
  return parts(tiling.nx * static_cast<int>(real_bytes), kLanes * kVectorBytes) * parts(tiling.nz, tiling.height);
}

}  // namespace

std::size_t tile_bytes(int height, std::size_t real_bytes) {
  const int pitch = real_bytes == sizeof(float) ? kPitch<float> : kPitch<double>;
  return static_cast<std::size_t>(kRing * (height + 2 * kReachZ) * pitch) * kVectorBytes;
}

template <typename Real>
void allow_tiles(int height) {
  cuda::check(cudaFuncSetAttribute(tiles<Real>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(tile_bytes(height, sizeof(Real)))),
              "asking for shared memory");
}

// As many chunks as all multiprocessors compute at once.
Chunks all_rows(const Tiling& tiling, int first, int last, std::size_t real_bytes) {
  const int blocks = tiling.multiprocessors * std::min(kMostBlocks, kMostThreads / (kLanes * tiling.height));
  const int chunks = std::max(1, blocks / tile_count(tiling, real_bytes));
  const int each = std::max(kFewestRows, parts(last - first, chunks));
  return {first, last, each, each};
}

Chunks outer_rows(const Tiling& tiling) { return {0, tiling.rows, tiling.rows - kReach, kReach}; }

template <typename Real>
void queue_tiles(const Tiling& tiling, const Chunks& chunks, const Weights<Real>& weights, Real share, const Real* start, const Real* now,
                 Real* next, cudaStream_t stream) {
  if (chunks.last <= chunks.first) return;
  const dim3 grid(static_cast<unsigned>(tile_count(tiling, sizeof(Real))), static_cast<unsigned>(parts(chunks.last - chunks.first, chunks.stride)));
  launch("advancing cells", tiles<Real>, grid, dim3(kLanes, static_cast<unsigned>(tiling.height)), tile_bytes(tiling.height, sizeof(Real)), stream,
         tiling, chunks, weights, share, start, now, next);
}

template void allow_tiles<float>(int);
template void allow_tiles<double>(int);
template void queue_tiles(const Tiling&, const Chunks&, const Weights<float>&, float, const float*, const float*, float*, cudaStream_t);
template void queue_tiles(const Tiling&, const Chunks&, const Weights<double>&, double, const double*, const double*, double*, cudaStream_t);

}  // namespace assay::stencil
