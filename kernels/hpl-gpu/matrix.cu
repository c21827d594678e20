#include <algorithm>

#include "common/cuda/error.hpp"
#include "hpl-gpu/checksum.hpp"
#include "hpl-gpu/generator.hpp"
#include "hpl-gpu/kernels.hpp"

namespace assay::hplgpu {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kColumnsPerBlock = 64;
constexpr unsigned kChecksumBlocks = 2048;

unsigned blocks_for(std::int64_t count, std::int64_t each) { return static_cast<unsigned>((count + each - 1) / each); }

// A thread has a row, and goes from column to column by jumps of a whole column.
__global__ void __launch_bounds__(kThreads) generate(Matrix to, std::int64_t first_column, std::int64_t order, Jump column_jump) {
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  const std::int64_t begin = blockIdx.y * kColumnsPerBlock;
  const std::int64_t end = min(begin + kColumnsPerBlock, to.columns);
  if (row >= to.rows) return;
  std::uint64_t state = state_at(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(first_column + begin), static_cast<std::uint64_t>(order));
  for (std::int64_t column = begin; column < end; ++column) {
    to.data[row + column * to.ld] = number_of(state);
    state = column_jump.from(state);
  }
}

__global__ void __launch_bounds__(kThreads)
    row_sums(ColumnRun columns, std::int64_t order, const double* __restrict__ x, double* products, double* sums, Jump column_jump) {
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  if (row >= order) return;
  std::uint64_t state = state_at(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(columns.first), static_cast<std::uint64_t>(order));
  double product = 0, sum = 0;
  for (std::int64_t j = 0; j < columns.count; ++j) {
    const double element = number_of(state);
    product += element * x[j];
    sum += fabs(element);
    state = column_jump.from(state);
  }
  products[row] += product;
  sums[row] += sum;
}

// Sums of whole numbers: the same in any order.
__global__ void __launch_bounds__(kThreads) checksum(const std::uint64_t* words, std::uint64_t count, std::uint64_t* sum) {
  std::uint64_t own = 0;
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * kThreads;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += stride) own += checksum_term(words[i], i);
  for (int offset = 16; offset > 0; offset /= 2) own += __shfl_down_sync(~0u, own, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(sum), own);
}

__global__ void compare(const std::uint64_t* sum, const std::uint64_t* expected, std::uint64_t* differences) {
  if (*sum != *expected) ++*differences;
}

__global__ void flip(double* value) {
  *value = __longlong_as_double(__double_as_longlong(*value) ^ (1LL << 51));
}

}  // namespace

void queue_generate(const Matrix& to, std::int64_t first_column, std::int64_t order, cudaStream_t stream) {
  const dim3 grid(blocks_for(to.rows, kThreads), blocks_for(to.columns, kColumnsPerBlock));
  generate<<<grid, kThreads, 0, stream>>>(to, first_column, order, jump_of(static_cast<std::uint64_t>(order)));
  cuda::check_launch("generating the matrix");
}

void queue_row_sums(const ColumnRun& columns, std::int64_t order, const double* x, double* products, double* sums, cudaStream_t stream) {
  row_sums<<<blocks_for(order, kThreads), kThreads, 0, stream>>>(columns, order, x, products, sums, jump_of(static_cast<std::uint64_t>(order)));
  cuda::check_launch("multiplying the matrix with the solution");
}

void queue_checksum(const double* words, std::size_t count, std::uint64_t* sum, cudaStream_t stream) {
  const unsigned blocks = std::min(kChecksumBlocks, blocks_for(static_cast<std::int64_t>(count), kThreads));
  checksum<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<const std::uint64_t*>(words), count, sum);
  cuda::check_launch("adding up a panel");
}

void queue_compare(const std::uint64_t* sum, const std::uint64_t* expected, std::uint64_t* differences, cudaStream_t stream) {
  compare<<<1, 1, 0, stream>>>(sum, expected, differences);
  cuda::check_launch("comparing a checksum");
}

void queue_flip(double* value, cudaStream_t stream) {
  flip<<<1, 1, 0, stream>>>(value);
  cuda::check_launch("flipping a bit");
}

}  // namespace assay::hplgpu
