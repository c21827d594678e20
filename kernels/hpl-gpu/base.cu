#include <algorithm>
#include <climits>

#include "common/cuda/error.hpp"
#include "hpl-gpu/base.hpp"
#include "hpl-gpu/launch.hpp"

namespace assay::hplgpu {
namespace {

constexpr int kThreads = block_threads(512);
constexpr int kMostBlocks = kThreads;  // thread i listens to block i
constexpr std::int64_t kLeastRows = 64;
constexpr std::int64_t kLeastColumns = 2;
constexpr std::int64_t kReservedBytes = 2048;  // of shared memory, for what is not rows

// What a block says about a column: its largest element, and the row that it stands in. The first block adds the row on the diagonal.
struct Slot {
  unsigned epoch;  // says which column this is about: the rest is written before
  int row;
  double magnitude;
  double values[kMostBaseColumns];
  double diagonal[kMostBaseColumns];
};

struct Best {
  double magnitude;
  int row;
};

// The larger one; of equals the one in the lower row, so that the choice does not depend on who looked first.
__device__ Best better_of(Best a, Best b) {
  const bool takes_b = b.magnitude > a.magnitude || (b.magnitude == a.magnitude && b.row < a.row);
  return takes_b ? b : a;
}

__device__ Best best_of_block(Best own) {
  __shared__ Best of_warp[kThreads / 32];
  const auto over_warp = [](Best best) {
    for (int offset = 16; offset > 0; offset /= 2) {
      const Best other{__shfl_down_sync(~0u, best.magnitude, offset), __shfl_down_sync(~0u, best.row, offset)};
      best = better_of(best, other);
    }
    return best;
  };
  own = over_warp(own);
  __syncthreads();  // an earlier call may still be reading
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = own;
  __syncthreads();
  own = over_warp(threadIdx.x < kThreads / 32 ? of_warp[threadIdx.x] : Best{-1, INT_MAX});
  if (threadIdx.x == 0) of_warp[0] = own;
  __syncthreads();
  return of_warp[0];
}

// Rows count from the diagonal row of the first column.
struct Work {
  double* a;
  std::int64_t ld;
  int rows;
  int columns;
  int rows_per_block;
  std::int32_t* pivots;
  int first;  // of the rows, in the panel
  Slot* slots;
  unsigned epoch;
};

// Block-wide state of one launch. Tile: columns of rows_per_block rows.
class Columns {
 public:
  __device__ Columns(const Work& work, double* tile)
      : work_(work), tile_(tile), begin_(static_cast<int>(blockIdx.x) * work.rows_per_block),
        count_(min(work.rows_per_block, work.rows - begin_)) {}

  __device__ void load() {
    for (int c = 0; c < work_.columns; ++c) {
      for (int i = threadIdx.x; i < count_; i += kThreads) at(i, c) = work_.a[begin_ + i + c * work_.ld];
    }
  }

  __device__ void store() const {
    for (int c = 0; c < work_.columns; ++c) {
      for (int i = threadIdx.x; i < count_; i += kThreads) work_.a[begin_ + i + c * work_.ld] = tile_[c * work_.rows_per_block + i];
    }
  }

  __device__ Best best_in(int column) {
    Best best{-1, INT_MAX};
    for (int i = threadIdx.x; i < count_; i += kThreads) {
      if (begin_ + i >= column) best = better_of(best, candidate(at(i, column), begin_ + i));
    }
    return best;
  }

  // Tells the others this block's best, and waits for theirs. Two columns' slots lie side by side, because a block may be one ahead.
  __device__ Best agree(int column, Best own) {
    Slot* const all = work_.slots + (column % 2) * gridDim.x;
    Slot& slot = all[blockIdx.x];
    own = best_of_block(own);
    const int c = static_cast<int>(threadIdx.x);
    if (c < work_.columns) {
      if (own.row != INT_MAX) slot.values[c] = at(own.row - begin_, c);
      if (blockIdx.x == 0) slot.diagonal[c] = at(column, c);
    }
    if (c == 0) {
      slot.row = own.row;
      slot.magnitude = own.magnitude;
    }
    __syncthreads();
    const unsigned epoch = work_.epoch + static_cast<unsigned>(column);
    if (c == 0) release(&slot.epoch, epoch);
    Best heard{-1, INT_MAX};
    if (threadIdx.x < gridDim.x) {
      while (acquire(&all[threadIdx.x].epoch) != epoch) {
      }
      heard = {__ldcg(&all[threadIdx.x].magnitude), __ldcg(&all[threadIdx.x].row)};
    }
    Best best = best_of_block(heard);
    if (best.row == INT_MAX) best.row = column;  // no number in this column: the residual will say so
    return best;
  }

  // Swaps, and leaves the pivot's row in pivot_row.
  __device__ void swap(int column, int row, double* pivot_row) {
    Slot* const all = work_.slots + (column % 2) * gridDim.x;
    const int c = static_cast<int>(threadIdx.x);
    if (c < work_.columns) {
      const double diagonal = __ldcg(&all[0].diagonal[c]);
      const double pivot = row == column ? diagonal : __ldcg(&all[row / work_.rows_per_block].values[c]);
      pivot_row[c] = pivot;
      if (blockIdx.x == 0) at(column, c) = pivot;
      if (row != column && row >= begin_ && row < begin_ + count_) at(row - begin_, c) = diagonal;
    }
    if (blockIdx.x == 0 && c == 0) work_.pivots[work_.first + column] = work_.first + row;
    __syncthreads();
  }

  // Column `column` becomes L's, the later ones are updated; the best of the next column is found on the way.
  __device__ Best eliminate(int column, const double* pivot_row) {
    Best best{-1, INT_MAX};
    for (int i = threadIdx.x; i < count_; i += kThreads) {
      if (begin_ + i <= column) continue;
      const double factor = at(i, column) / pivot_row[column];
      at(i, column) = factor;
      for (int c = column + 1; c < work_.columns; ++c) at(i, c) -= factor * pivot_row[c];
      if (column + 1 < work_.columns) best = better_of(best, candidate(at(i, column + 1), begin_ + i));
    }
    return best;
  }

 private:
  __device__ double& at(int row, int column) { return tile_[column * work_.rows_per_block + row]; }
  static __device__ Best candidate(double value, int row) {
    const double magnitude = fabs(value);
    return magnitude >= 0 ? Best{magnitude, row} : Best{-1, INT_MAX};  // not a number: never the best
  }

  const Work& work_;
  double* tile_;
  int begin_;
  int count_;
};

__global__ void __launch_bounds__(kThreads) factor_base(const Work work) {
  ASSAY_DYNAMIC_SHARED(double, tile);
  __shared__ double pivot_row[kMostBaseColumns];
  Columns columns(work, tile);
  columns.load();
  __syncthreads();
  Best own = columns.best_in(0);
  for (int column = 0; column < work.columns; ++column) {
    const Best pivot = columns.agree(column, own);
    columns.swap(column, pivot.row, pivot_row);
    own = columns.eliminate(column, pivot_row);
    __syncthreads();
  }
  columns.store();
}

// An even number of them.
std::int64_t rows_each(std::int64_t rows, int blocks) {
  const std::int64_t even = (rows + blocks - 1) / blocks;
  return std::max((even + 1) / 2 * 2, kLeastRows);
}

}  // namespace

BaseCase::BaseCase() {
  int device = 0, multiprocessors = 0, shared = 0;
  cuda::check(cudaGetDevice(&device), "reading the current device");
  cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");
  cuda::check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "reading the size of shared memory");
  blocks_ = std::min(multiprocessors, kMostBlocks);
  shared_bytes_ = shared - kReservedBytes;
  cuda::check(cudaFuncSetAttribute(factor_base, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes_)),
              "asking for shared memory");
  const std::size_t bytes = 2 * static_cast<std::size_t>(blocks_) * sizeof(Slot);
  cuda::check(cudaMalloc(&slots_, bytes), "allocating the panel's slots");
  cuda::check(cudaMemset(slots_, 0, bytes), "clearing the panel's slots");
  cuda::check(cudaDeviceSynchronize(), "clearing the panel's slots");  // the streams here wait for no other
}

BaseCase::~BaseCase() { cudaFree(slots_); }

// Rows that a block has shared memory for.
std::int64_t BaseCase::most_rows(std::int64_t columns) const {
  return shared_bytes_ / (columns * static_cast<std::int64_t>(sizeof(double))) / 2 * 2;
}

std::int64_t BaseCase::width_on(int blocks, std::int64_t rows) const {
  for (std::int64_t width = kMostBaseColumns; width >= 2; width /= 2) {
    if (rows_each(rows, blocks) <= most_rows(width)) return width;
  }
  return 0;
}

std::int64_t BaseCase::width_for(std::int64_t rows, Share share) const {
  const std::int64_t on_some = share == Share::Some ? width_on(std::max(blocks_ * 2 / 5, 1), rows) : 0;
  return on_some > 0 ? on_some : width_on(blocks_, rows);
}

void BaseCase::queue(const Panel& panel, std::int64_t first, std::int64_t count, Share share, cudaStream_t stream) {
  const std::int64_t rows = panel.rows - first;
  const std::int64_t each = share == Share::All ? rows_each(rows, blocks_) : most_rows(std::max(count, kLeastColumns));
  const auto blocks = static_cast<unsigned>((rows + each - 1) / each);
  const Work work{panel.matrix().at(first, first), panel.ld(), static_cast<int>(rows), static_cast<int>(count), static_cast<int>(each),
                  panel.pivots(), static_cast<int>(first), static_cast<Slot*>(slots_), epoch_ + 1};
  epoch_ += static_cast<unsigned>(count);
  const auto shared = static_cast<std::size_t>(each * count) * sizeof(double);
  launch_together("factoring columns of a panel", factor_base, blocks, kThreads, shared, stream, work);
}

}  // namespace assay::hplgpu
