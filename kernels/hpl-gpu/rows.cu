#include <algorithm>

#include "hpl-gpu/base.hpp"
#include "hpl-gpu/kernels.hpp"
#include "hpl-gpu/launch.hpp"
#include "hpl-gpu/permutation.hpp"

namespace assay::hplgpu {
namespace {

constexpr int kThreads = block_threads(256);
constexpr std::int64_t kColumnsPerBlock = 16;

unsigned blocks_for(std::int64_t count, std::int64_t each) { return static_cast<unsigned>((count + each - 1) / each); }

// Threads 0 to width - 1 of the grid trace the rows of the top, the next `width` the pivots' rows.
__global__ void __launch_bounds__(kThreads) trace(const std::int32_t* pivots, std::int32_t width, std::int32_t* top_from, std::int32_t* pivot_from) {
  ASSAY_DYNAMIC_SHARED(std::int32_t, near);
  for (std::int32_t i = threadIdx.x; i < width; i += kThreads) near[i] = pivots[i];
  __syncthreads();
  const auto i = static_cast<std::int32_t>(blockIdx.x * kThreads + threadIdx.x);
  if (i < width) {
    top_from[i] = source_of(i, near, width);
  } else if (i < 2 * width) {
    pivot_from[i - width] = source_of(near[i - width], near, width);
  }
}

__global__ void __launch_bounds__(kThreads) gather(const std::int32_t* __restrict__ from, std::int64_t width, Matrix a, Matrix top) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  if (i >= width) return;
  const std::int64_t row = from[i];
  const std::int64_t begin = blockIdx.y * kColumnsPerBlock;
  const std::int64_t end = min(begin + kColumnsPerBlock, a.columns);
#pragma unroll 4
  for (std::int64_t column = begin; column < end; ++column) top.data[i + column * top.ld] = a.data[row + column * a.ld];
}

// What the swaps bring into rows below the top always comes from the top, which is still as it was. Where two pivots are the same row,
// both write the same.
__global__ void __launch_bounds__(kThreads)
    scatter(const std::int32_t* __restrict__ pivots, const std::int32_t* __restrict__ from, std::int64_t width, Matrix a) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  if (i >= width || pivots[i] < width) return;
  const std::int64_t begin = blockIdx.y * kColumnsPerBlock;
  const std::int64_t end = min(begin + kColumnsPerBlock, a.columns);
  const std::int64_t to = pivots[i], source = from[i];
#pragma unroll 4
  for (std::int64_t column = begin; column < end; ++column) a.data[to + column * a.ld] = a.data[source + column * a.ld];
}

// Thread x is one of the 2 count rows that may change, thread y a column. All rows of a column are read before one is written.
constexpr int kSwapRows = 2 * static_cast<int>(kMostBaseColumns);
constexpr int kSwapColumns = 8;
__global__ void __launch_bounds__(kSwapRows* kSwapColumns)
    swap_in_panel(double* data, std::int64_t ld, std::int64_t width, const std::int32_t* pivots, std::int64_t first, std::int32_t count) {
  __shared__ std::int32_t relative[kMostBaseColumns];  // as source_of() counts them: from the first of these columns
  const auto x = static_cast<std::int32_t>(threadIdx.x);
  if (threadIdx.y == 0 && x < count) relative[x] = pivots[first + x] - static_cast<std::int32_t>(first);
  __syncthreads();
  std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kSwapColumns + threadIdx.y;
  if (column >= first) column += count;  // those that were factored have been swapped
  const bool is_used = x < 2 * count && column < width;
  double* const rows = data + first + column * ld;
  const std::int32_t row = !is_used ? 0 : x < count ? x : relative[x - count];
  double value = 0;
  if (is_used) value = rows[source_of(row, relative, count)];
  __syncthreads();
  if (is_used) rows[row] = value;
}

// A thread has a column of b, which its block keeps in shared memory, as it does l.
constexpr int kSolveThreads = 32;
__global__ void __launch_bounds__(kSolveThreads) small_solve(Matrix l, Matrix b) {
  __shared__ double near[kMostTriangle * kMostTriangle];
  __shared__ double x[kMostTriangle * kSolveThreads];
  const int n = static_cast<int>(l.rows);
  const int own = static_cast<int>(threadIdx.x);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kSolveThreads;
  const int columns = static_cast<int>(min(static_cast<std::int64_t>(kSolveThreads), b.columns - first));
  for (int j = 0; j < n; ++j) {
    for (int i = own; i < n; i += kSolveThreads) near[i + j * n] = l.data[i + j * l.ld];
  }
  // Transposed in shared memory, so that the threads' columns lie side by side.
  for (int j = 0; j < columns; ++j) {
    for (int i = own; i < n; i += kSolveThreads) x[i * kSolveThreads + (i + j) % kSolveThreads] = b.data[i + (first + j) * b.ld];
  }
  __syncthreads();
  if (own < columns) {
    for (int i = 0; i < n; ++i) {
      const double solved = x[i * kSolveThreads + (i + own) % kSolveThreads];
#pragma unroll 4
      for (int k = i + 1; k < n; ++k) x[k * kSolveThreads + (k + own) % kSolveThreads] -= near[k + i * n] * solved;
    }
  }
  __syncthreads();
  for (int j = 0; j < columns; ++j) {
    for (int i = own; i < n; i += kSolveThreads) b.data[i + (first + j) * b.ld] = x[i * kSolveThreads + (i + j) % kSolveThreads];
  }
}

__global__ void __launch_bounds__(kThreads) identity(Matrix to) {
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  if (row < to.rows) to.data[row + blockIdx.y * to.ld] = row == blockIdx.y ? 1 : 0;
}

}  // namespace

void queue_identity(const Matrix& to, cudaStream_t stream) {
  const dim3 grid(blocks_for(to.rows, kThreads), static_cast<unsigned>(to.columns));
  launch("making an identity", identity, grid, kThreads, 0, stream, to);
}

void queue_trace(const Panel& panel, cudaStream_t stream) {
  const auto width = static_cast<std::int32_t>(panel.width);
  launch("tracing a panel's swaps", trace, blocks_for(2 * width, kThreads), kThreads,
         static_cast<std::size_t>(width) * sizeof(std::int32_t), stream, panel.pivots(), width, panel.top_from(), panel.pivot_from());
}

void queue_swap(const Panel& panel, const Matrix& a, const Matrix& top, cudaStream_t stream) {
  const dim3 grid(blocks_for(panel.width, kThreads), blocks_for(a.columns, kColumnsPerBlock));
  launch("gathering rows", gather, grid, kThreads, 0, stream, panel.top_from(), panel.width, a, top);
  launch("scattering rows", scatter, grid, kThreads, 0, stream, panel.pivots(), panel.pivot_from(), panel.width, a);
}

void queue_swap_in_panel(const Panel& panel, std::int64_t first, std::int64_t count, cudaStream_t stream) {
  const std::int64_t others = panel.width - count;
  if (others == 0) return;
  launch("swapping rows of a panel", swap_in_panel, blocks_for(others, kSwapColumns), dim3(kSwapRows, kSwapColumns), 0, stream,
         panel.data, panel.ld(), panel.width, panel.pivots(), first, static_cast<std::int32_t>(count));
}

void queue_small_solve(const Matrix& l, const Matrix& b, cudaStream_t stream) {
  launch("solving for a small block", small_solve, blocks_for(b.columns, kSolveThreads), kSolveThreads, 0, stream, l, b);
}

}  // namespace assay::hplgpu
