#include <cuda_fp16.h>

#include <algorithm>

#include "common/cuda/error.hpp"
#include "hpl-gpu/generator.hpp"
#include "hpl-mxp/kernels.hpp"

namespace assay::hplmxp {
namespace {

using hplgpu::Jump;

constexpr int kThreads = 256;
constexpr std::int64_t kColumnsPerBlock = 64;
constexpr std::int64_t kMostGridY = 65535;

unsigned blocks_for(std::int64_t count, std::int64_t each) { return static_cast<unsigned>((count + each - 1) / each); }

// A thread has a row, and goes from column to column by jumps of a whole column.
__global__ void __launch_bounds__(kThreads) generate(Floats a, const double* __restrict__ diagonal, Jump column_jump) {
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  const std::int64_t begin = blockIdx.y * kColumnsPerBlock;
  const std::int64_t end = min(begin + kColumnsPerBlock, a.columns);
  if (row >= a.rows) return;
  std::uint64_t state = hplgpu::state_at(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(a.rows));
  for (std::int64_t column = begin; column < end; ++column) {
    a.data[row + column * a.ld] = static_cast<float>(row == column ? diagonal[row] : hplgpu::number_of(state));
    state = column_jump.from(state);
  }
}

__global__ void __launch_bounds__(kThreads) store(Floats from, Floats to, Halves rounded, float scale) {
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  if (row >= to.rows) return;
  for (std::int64_t column = blockIdx.y; column < to.columns; column += gridDim.y) {
    const float value = from.data[row + column * from.ld];
    to.data[row + column * to.ld] = value;
    if (rounded.data != nullptr) rounded.data[row + column * rounded.ld].bits = __half_as_ushort(__float2half_rn(scale * value));
  }
}

__global__ void __launch_bounds__(kThreads) identity(Floats to) {
  const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  if (row < to.rows) to.data[row + blockIdx.y * to.ld] = row == blockIdx.y ? 1.0F : 0.0F;
}

__global__ void flip(float* value) { *value = __int_as_float(__float_as_int(*value) ^ (1 << 29)); }

// One thread block; a thread has one row and every fourth column.
constexpr int kBaseColumns = 4;
__global__ void __launch_bounds__(kMostBase* kBaseColumns) base(Floats a) {
  __shared__ float near[kMostBase][kMostBase + 1];  // by columns
  const auto n = static_cast<int>(a.rows);
  const auto row = static_cast<int>(threadIdx.x);
  const auto first = static_cast<int>(threadIdx.y);
  const bool is_used = row < n;
  for (int column = first; is_used && column < n; column += kBaseColumns) near[column][row] = a.data[row + column * a.ld];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    if (is_used && first == 0 && row > k) near[k][row] /= near[k][k];
    __syncthreads();
    if (!is_used || row <= k) continue;
    for (int column = first; column < n; column += kBaseColumns) {
      if (column > k) near[column][row] -= near[k][row] * near[column][k];
    }
  }
  __syncthreads();
  for (int column = first; is_used && column < n; column += kBaseColumns) a.data[row + column * a.ld] = near[column][row];
}

}  // namespace

void queue_generate(const Floats& a, const double* diagonal, cudaStream_t stream) {
  const dim3 grid(blocks_for(a.rows, kThreads), blocks_for(a.columns, kColumnsPerBlock));
  generate<<<grid, kThreads, 0, stream>>>(a, diagonal, hplgpu::jump_of(static_cast<std::uint64_t>(a.rows)));
  cuda::check_launch("generating the matrix");
}

void queue_store(const Floats& from, const Floats& to, const Halves& rounded, float scale, cudaStream_t stream) {
  const dim3 grid(blocks_for(to.rows, kThreads), static_cast<unsigned>(std::min(to.columns, kMostGridY)));
  store<<<grid, kThreads, 0, stream>>>(from, to, rounded, scale);
  cuda::check_launch("storing a part of L or U");
}

void queue_identity(const Floats& to, cudaStream_t stream) {
  identity<<<dim3(blocks_for(to.rows, kThreads), static_cast<unsigned>(to.columns)), kThreads, 0, stream>>>(to);
  cuda::check_launch("writing an identity");
}

void queue_flip(float* value, cudaStream_t stream) {
  flip<<<1, 1, 0, stream>>>(value);
  cuda::check_launch("flipping a bit");
}

void queue_base(const Floats& a, cudaStream_t stream) {
  base<<<1, dim3(kMostBase, kBaseColumns), 0, stream>>>(a);
  cuda::check_launch("factoring a small block");
}

}  // namespace assay::hplmxp
