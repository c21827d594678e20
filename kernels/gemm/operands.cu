#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <limits>
#include <vector>

#include "common/cuda/block_sum.cuh"
#include "common/cuda/pattern.hpp"
#include "gemm/operands.hpp"

namespace assay::gemm {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocks = 1024;
constexpr std::uint64_t kSeedA = 11;
constexpr std::uint64_t kSeedB = 12;
constexpr std::uint64_t kSeedX = 13;

template <typename T>
__device__ T from_double(double value) {
  return static_cast<T>(value);
}
template <>
__device__ __nv_bfloat16 from_double(double value) {
  return __double2bfloat16(value);
}
template <>
__device__ __half from_double(double value) {
  return __double2half(value);
}

template <typename T>
__device__ double to_double(T value) {
  return static_cast<double>(static_cast<float>(value));
}
template <>
__device__ double to_double(double value) {
  return value;
}

template <typename T>
__global__ void fill_kernel(T* matrix, std::size_t count, std::uint64_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    matrix[i] = from_double<T>(cuda::pattern_unit(i, seed));
  }
}

__device__ double sign_at(std::size_t i) { return cuda::pattern_word(i, kSeedX) & 1 ? 1.0 : -1.0; }

__global__ void signs_kernel(double* x, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) x[i] = sign_at(i);
}

// y += M x and squares += the squares of M's rows, M stored by columns: blocks take 32 rows and a share of the columns.
template <typename T>
__global__ void multiply_kernel(const T* matrix, const double* x, double* y, double* squares, std::size_t n) {
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= n) return;
  double sum = 0;
  double square = 0;
  for (std::size_t column = blockIdx.y; column < n; column += gridDim.y) {
    const double value = to_double(matrix[column * n + row]);
    sum += value * x[column];
    square += value * value;
  }
  atomicAdd(&y[row], sum);
  if (squares != nullptr) atomicAdd(&squares[row], square);
}

// y = M^T x: a block per column.
template <typename T>
__global__ void multiply_transposed_kernel(const T* matrix, const double* x, double* y, std::size_t n) {
  const T* column = matrix + static_cast<std::size_t>(blockIdx.x) * n;
  double sum = 0;
  for (std::size_t row = threadIdx.x; row < n; row += blockDim.x) sum += to_double(column[row]) * x[row];
  sum = cuda::block_sum<kThreads>(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

__global__ void checksum_kernel(const std::uint64_t* words, std::size_t count, unsigned long long* sum) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    mine += cuda::pattern_word(words[i], i);
  }
  atomicAdd(sum, mine);
}

template <typename T>
void multiply(const void* matrix, const double* x, double* y, double* squares, std::size_t n, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((n + kThreads - 1) / kThreads), 64);
  multiply_kernel<<<grid, kThreads, 0, stream>>>(static_cast<const T*>(matrix), x, y, squares, n);
  cuda::check_launch("multiplying a matrix with a vector");
}

template <typename Operand, typename Product>
double residual_of(const void* a, bool a_is_transposed, const void* b, const void* c, std::size_t n,
                   const cuda::Stream& stream) {
  // Rows: x, B x, A (B x), C x, squares of C's rows.
  cuda::DeviceBuffer<double> vectors(stream.device(), 5 * n);
  cuda::check(cudaMemsetAsync(vectors.data(), 0, vectors.bytes(), stream.get()), "clearing vectors");
  double* const x = vectors.data();
  double* const bx = x + n;
  double* const abx = x + 2 * n;
  double* const cx = x + 3 * n;
  double* const squares = x + 4 * n;
  signs_kernel<<<static_cast<unsigned>((n + kThreads - 1) / kThreads), kThreads, 0, stream.get()>>>(x, n);
  cuda::check_launch("filling a vector");
  multiply<Operand>(b, x, bx, nullptr, n, stream.get());
  if (a_is_transposed) {
    multiply_transposed_kernel<<<static_cast<unsigned>(n), kThreads, 0, stream.get()>>>(static_cast<const Operand*>(a), bx, abx, n);
    cuda::check_launch("multiplying a matrix with a vector");
  } else {
    multiply<Operand>(a, bx, abx, nullptr, n, stream.get());
  }
  multiply<Product>(c, x, cx, squares, n, stream.get());
  std::vector<double> host(3 * n);
  cuda::check(cudaMemcpyAsync(host.data(), abx, 3 * n * sizeof(double), cudaMemcpyDeviceToHost, stream.get()), "reading vectors");
  stream.synchronize();
  double worst = 0;
  for (std::size_t row = 0; row < n; ++row) {
    const double difference = std::abs(host[row] - host[n + row]) / std::sqrt(host[2 * n + row]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, difference);
  }
  return worst;
}

}  // namespace

std::size_t operand_bytes(Precision precision) {
  switch (precision) {
    case Precision::Fp64: return 8;
    case Precision::Fp32:
    case Precision::Tf32: return 4;
    case Precision::Fp8: return 1;
    default: return 2;
  }
}

std::size_t product_bytes(Precision precision) { return precision == Precision::Fp8 ? 2 : operand_bytes(precision); }

Operands::Operands(int device, Precision precision, std::size_t n)
    : precision_(precision),
      n_(n),
      a_(device, n * n * operand_bytes(precision)),
      b_(device, n * n * operand_bytes(precision)),
      c_(device, n * n * product_bytes(precision)) {}

void Operands::initialize(const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  const auto fill = [&](auto* typed, void* matrix, std::uint64_t seed) {
    using T = std::remove_pointer_t<decltype(typed)>;
    fill_kernel<<<kBlocks, kThreads, 0, stream.get()>>>(static_cast<T*>(matrix), n_ * n_, seed);
    cuda::check_launch("filling a matrix");
  };
  const auto fill_both = [&](auto* typed) {
    fill(typed, a_.data(), kSeedA);
    fill(typed, b_.data(), kSeedB);
  };
  switch (precision_) {
    case Precision::Fp64: fill_both(static_cast<double*>(nullptr)); break;
    case Precision::Fp32:
    case Precision::Tf32: fill_both(static_cast<float*>(nullptr)); break;
    case Precision::Bf16: fill_both(static_cast<__nv_bfloat16*>(nullptr)); break;
    case Precision::Fp16: fill_both(static_cast<__half*>(nullptr)); break;
    case Precision::Fp8: fill_both(static_cast<__nv_fp8_e4m3*>(nullptr)); break;
  }
  cuda::poison(c_.data(), c_.bytes(), stream);
  stream.synchronize();
}

double Operands::residual(const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  switch (precision_) {
    case Precision::Fp64: return residual_of<double, double>(a(), false, b(), c(), n_, stream);
    case Precision::Fp32:
    case Precision::Tf32: return residual_of<float, float>(a(), false, b(), c(), n_, stream);
    case Precision::Bf16: return residual_of<__nv_bfloat16, __nv_bfloat16>(a(), false, b(), c(), n_, stream);
    case Precision::Fp16: return residual_of<__half, __half>(a(), false, b(), c(), n_, stream);
    case Precision::Fp8: return residual_of<__nv_fp8_e4m3, __nv_bfloat16>(a(), true, b(), c(), n_, stream);
  }
  return std::numeric_limits<double>::infinity();
}

std::uint64_t Operands::checksum(const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  cuda::DeviceBuffer<unsigned long long> sum(stream.device(), 1);
  cuda::check(cudaMemsetAsync(sum.data(), 0, sum.bytes(), stream.get()), "clearing a sum");
  checksum_kernel<<<kBlocks, kThreads, 0, stream.get()>>>(static_cast<const std::uint64_t*>(c()), c_.bytes() / 8, sum.data());
  cuda::check_launch("summing a product");
  unsigned long long result = 0;
  cuda::check(cudaMemcpyAsync(&result, sum.data(), sizeof result, cudaMemcpyDeviceToHost, stream.get()), "reading a sum");
  stream.synchronize();
  return result;
}

}  // namespace assay::gemm
