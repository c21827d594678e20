#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "common/cuda/block_sum.cuh"
#include "gpustream/kernels.hpp"

namespace assay::gpustream {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kScalar = 0.4;
constexpr int kVerifyThreads = 256;
constexpr int kMostThreads = 1024;  // of candidate_shapes
constexpr unsigned kMostDotBlocks = 8192;

template <typename T>
struct alignas(16) Vector {
  static constexpr int kLanes = 16 / sizeof(T);
  T lane[kLanes];
};

template <typename T>
__device__ T initial(std::uint64_t i) {
  return static_cast<T>(cuda::pattern_unit(i, kSeed));
}

// A product that the compiler may not fuse with the sum that uses it: the expected values must round where memory did.
__device__ double product(double x, double y) { return __dmul_rn(x, y); }
__device__ float product(float x, float y) { return __fmul_rn(x, y); }

// Each operation says what one element of its output is; x and y are the elements of its inputs.
struct CopyOp {
  template <typename T>
  __device__ static T apply(T x, T) { return x; }
  static constexpr bool kTwoInputs = false;
};
struct MulOp {
  template <typename T>
  __device__ static T apply(T x, T) { return product(static_cast<T>(kScalar), x); }
  static constexpr bool kTwoInputs = false;
};
struct AddOp {
  template <typename T>
  __device__ static T apply(T x, T y) { return x + y; }
  static constexpr bool kTwoInputs = true;
};
struct TriadOp {
  template <typename T>
  __device__ static T apply(T x, T y) { return fma(static_cast<T>(kScalar), y, x); }
  static constexpr bool kTwoInputs = true;
};

template <typename T, typename Op, int kUnroll>
__global__ void map_kernel(Vector<T>* __restrict__ out, const Vector<T>* __restrict__ x, const Vector<T>* __restrict__ y,
                           std::size_t vectors) {
  const std::size_t tile = static_cast<std::size_t>(blockDim.x) * kUnroll;
  for (std::size_t base = blockIdx.x * tile + threadIdx.x; base < vectors; base += gridDim.x * tile) {
    Vector<T> from_x[kUnroll];
    Vector<T> from_y[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      const std::size_t i = base + static_cast<std::size_t>(k) * blockDim.x;
      if (i >= vectors) continue;
      from_x[k] = x[i];
      if constexpr (Op::kTwoInputs) from_y[k] = y[i];
    }
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      const std::size_t i = base + static_cast<std::size_t>(k) * blockDim.x;
      if (i >= vectors) continue;
      Vector<T> result;
#pragma unroll
      for (int lane = 0; lane < Vector<T>::kLanes; ++lane) {
        result.lane[lane] = Op::apply(from_x[k].lane[lane], Op::kTwoInputs ? from_y[k].lane[lane] : T{});
      }
      out[i] = result;
    }
  }
}

// partials: the sum over all blocks, then those of each.
__device__ void finish_sum(double sum, double* partials, unsigned* blocks_done) {
  cuda::grid_sum<kMostThreads>(sum, partials + 1, blocks_done, partials, blockDim.x);
}

template <typename T, int kUnroll>
__global__ void dot_kernel(const Vector<T>* __restrict__ a, const Vector<T>* __restrict__ b, std::size_t vectors,
                           double* partials, unsigned* blocks_done) {
  const std::size_t tile = static_cast<std::size_t>(blockDim.x) * kUnroll;
  T sums[kUnroll] = {};
  for (std::size_t base = blockIdx.x * tile + threadIdx.x; base < vectors; base += gridDim.x * tile) {
    Vector<T> from_a[kUnroll];
    Vector<T> from_b[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      const std::size_t i = base + static_cast<std::size_t>(k) * blockDim.x;
      from_a[k] = i < vectors ? a[i] : Vector<T>{};
      from_b[k] = i < vectors ? b[i] : Vector<T>{};
    }
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
#pragma unroll
      for (int lane = 0; lane < Vector<T>::kLanes; ++lane) sums[k] = fma(from_a[k].lane[lane], from_b[k].lane[lane], sums[k]);
    }
  }
  double sum = 0;
  for (int k = 0; k < kUnroll; ++k) sum += sums[k];
  finish_sum(sum, partials, blocks_done);
}

// What element i of the kernel's output has to be, from the initial values alone.
template <typename T>
__device__ T expected(Kernel kernel, std::uint64_t i) {
  const T a = initial<T>(i);
  const T b = MulOp::apply(a, a);
  const T c = AddOp::apply(a, b);
  switch (kernel) {
    case Kernel::Copy: return a;
    case Kernel::Mul: return b;
    case Kernel::Add: return c;
    default: return TriadOp::apply(b, c);
  }
}

template <typename T>
__global__ void initialize_kernel(T* a, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    a[i] = initial<T>(i);
  }
}

template <typename T>
__global__ void compare_kernel(const T* out, std::size_t count, Kernel kernel, cuda::Mismatch* found) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    if (out[i] == expected<T>(kernel, i)) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(&found->words), 1ULL);
    atomicMin(reinterpret_cast<unsigned long long*>(&found->first), static_cast<unsigned long long>(i));
  }
}

// The dot product from the formulas, not from memory: blocks take neighbouring elements, so the order is another one.
template <typename T>
__global__ void expected_dot_kernel(std::size_t count, double* partials, unsigned* blocks_done) {
  const std::size_t share = (count + gridDim.x - 1) / gridDim.x;
  const std::size_t end = min(count, (blockIdx.x + 1) * share);
  double sum = 0;
  for (std::size_t i = blockIdx.x * share + threadIdx.x; i < end; i += blockDim.x) {
    sum += static_cast<double>(expected<T>(Kernel::Triad, i)) * static_cast<double>(expected<T>(Kernel::Mul, i));
  }
  finish_sum(sum, partials, blocks_done);
}

template <typename T, typename Op>
void launch_map(void* out, const void* x, const void* y, std::size_t bytes, const Shape& shape, int multiprocessors,
                cudaStream_t stream) {
  const std::size_t vectors = bytes / sizeof(Vector<T>);
  const std::size_t tile = static_cast<std::size_t>(shape.threads) * static_cast<std::size_t>(shape.unroll);
  const std::size_t needed = (vectors + tile - 1) / tile;
  const auto looping = static_cast<std::size_t>(multiprocessors) * static_cast<std::size_t>(shape.waves);
  const auto blocks = static_cast<unsigned>(shape.waves == 0 ? needed : std::min(needed, looping));
  auto* o = static_cast<Vector<T>*>(out);
  const auto* vx = static_cast<const Vector<T>*>(x);
  const auto* vy = static_cast<const Vector<T>*>(y);
  const auto threads = static_cast<unsigned>(shape.threads);
  switch (shape.unroll) {
    case 1: map_kernel<T, Op, 1><<<blocks, threads, 0, stream>>>(o, vx, vy, vectors); break;
    case 2: map_kernel<T, Op, 2><<<blocks, threads, 0, stream>>>(o, vx, vy, vectors); break;
    case 4: map_kernel<T, Op, 4><<<blocks, threads, 0, stream>>>(o, vx, vy, vectors); break;
    default: throw std::logic_error("unknown unroll factor");
  }
}

template <typename T>
void launch_dot(const void* a, const void* b, std::size_t bytes, const Shape& shape, int multiprocessors, double* partials,
                unsigned* blocks_done, cudaStream_t stream) {
  const std::size_t vectors = bytes / sizeof(Vector<T>);
  const unsigned blocks = std::min(static_cast<unsigned>(multiprocessors * shape.waves), kMostDotBlocks);
  const auto* va = static_cast<const Vector<T>*>(a);
  const auto* vb = static_cast<const Vector<T>*>(b);
  const auto threads = static_cast<unsigned>(shape.threads);
  switch (shape.unroll) {
    case 1: dot_kernel<T, 1><<<blocks, threads, 0, stream>>>(va, vb, vectors, partials, blocks_done); break;
    case 2: dot_kernel<T, 2><<<blocks, threads, 0, stream>>>(va, vb, vectors, partials, blocks_done); break;
    case 4: dot_kernel<T, 4><<<blocks, threads, 0, stream>>>(va, vb, vectors, partials, blocks_done); break;
    default: throw std::logic_error("unknown unroll factor");
  }
}

}  // namespace

std::vector<Shape> candidate_shapes(Kernel kernel) {
  if (kernel == Kernel::Dot) {
    return {{256, 4, 4}, {256, 4, 8}, {512, 2, 4}, {512, 4, 2}, {512, 4, 4}, {1024, 2, 2}, {1024, 4, 1}, {1024, 4, 2}};
  }
  return {{256, 1, 0}, {512, 1, 0}, {1024, 1, 0}, {256, 2, 0}, {512, 2, 0},  {1024, 2, 0},
          {256, 4, 0}, {512, 4, 0}, {512, 4, 2},  {512, 2, 4}, {1024, 4, 1}, {1024, 2, 2}};
}

Arrays::Arrays(int device, int multiprocessors, std::size_t bytes)
    : multiprocessors_(multiprocessors),
      a_(device, bytes),
      b_(device, bytes),
      c_(device, bytes),
      partials_(device, 1 + kMostDotBlocks),
      blocks_done_(device, 1) {
  const cuda::OnDevice on(device);
  cuda::check(cudaMemset(blocks_done_.data(), 0, blocks_done_.bytes()), "clearing a counter");
}

cuda::DeviceBuffer<std::byte>& Arrays::output(Kernel kernel) {
  if (kernel == Kernel::Mul) return b_;
  return kernel == Kernel::Triad ? a_ : c_;
}

void Arrays::initialize(Precision precision, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  const auto blocks = static_cast<unsigned>(multiprocessors_ * 8);
  if (precision == Precision::Fp64) {
    initialize_kernel<<<blocks, kVerifyThreads, 0, stream.get()>>>(reinterpret_cast<double*>(a_.data()), bytes() / sizeof(double));
  } else {
    initialize_kernel<<<blocks, kVerifyThreads, 0, stream.get()>>>(reinterpret_cast<float*>(a_.data()), bytes() / sizeof(float));
  }
  cuda::check_launch("initializing the arrays");
}

void Arrays::poison_output(Kernel kernel, const cuda::Stream& stream) {
  if (kernel == Kernel::Dot) return cuda::poison(partials_.data(), partials_.bytes(), stream);
  auto& out = output(kernel);
  cuda::poison(out.data(), out.bytes(), stream);
}

void Arrays::queue(Kernel kernel, Precision precision, const Shape& shape, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  const bool fp64 = precision == Precision::Fp64;
  const auto map = [&](auto launch_fp64, auto launch_fp32, void* out, const void* x, const void* y) {
    (fp64 ? launch_fp64 : launch_fp32)(out, x, y, bytes(), shape, multiprocessors_, stream.get());
  };
  switch (kernel) {
    case Kernel::Copy: map(launch_map<double, CopyOp>, launch_map<float, CopyOp>, c_.data(), a_.data(), nullptr); break;
    case Kernel::Mul: map(launch_map<double, MulOp>, launch_map<float, MulOp>, b_.data(), c_.data(), nullptr); break;
    case Kernel::Add: map(launch_map<double, AddOp>, launch_map<float, AddOp>, c_.data(), a_.data(), b_.data()); break;
    case Kernel::Triad: map(launch_map<double, TriadOp>, launch_map<float, TriadOp>, a_.data(), b_.data(), c_.data()); break;
    case Kernel::Dot:
      (fp64 ? launch_dot<double> : launch_dot<float>)(a_.data(), b_.data(), bytes(), shape, multiprocessors_,
                                                      partials_.data(), blocks_done_.data(), stream.get());
      break;
  }
  cuda::check_launch("launching " + metric_name(kernel, precision));
}

Arrays::Verdict Arrays::verify(Kernel kernel, Precision precision, bool damage, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  const auto blocks = static_cast<unsigned>(multiprocessors_ * 8);
  const bool fp64 = precision == Precision::Fp64;
  if (kernel == Kernel::Dot) {
    double measured = 0;
    double reference = 0;
    if (damage) cuda::flip_bit(partials_.data(), 6, stream);
    cuda::check(cudaMemcpyAsync(&measured, partials_.data(), sizeof measured, cudaMemcpyDeviceToHost, stream.get()), "reading a sum");
    stream.synchronize();
    const std::size_t count = bytes() / (fp64 ? sizeof(double) : sizeof(float));
    (fp64 ? expected_dot_kernel<double> : expected_dot_kernel<float>)<<<blocks, kVerifyThreads, 0, stream.get()>>>(
        count, partials_.data(), blocks_done_.data());
    cuda::check_launch("computing the reference of the dot product");
    cuda::check(cudaMemcpyAsync(&reference, partials_.data(), sizeof reference, cudaMemcpyDeviceToHost, stream.get()), "reading a sum");
    stream.synchronize();
    // All terms are positive; FP32 threads add some thousand terms before their sums go on in FP64.
    const double tolerance = fp64 ? 1e-12 : 1e-5;
    const bool ok = std::abs(measured - reference) <= tolerance * std::abs(reference);
    return {ok, ok ? "" : "sum is " + std::to_string(measured) + ", not " + std::to_string(reference)};
  }
  auto& out = output(kernel);
  if (damage) cuda::flip_bit(out.data(), out.bytes() / 3, stream);
  cuda::DeviceBuffer<cuda::Mismatch> found(stream.device(), 1);
  cuda::Mismatch mismatch{0, ~0ULL};
  cuda::check(cudaMemcpyAsync(found.data(), &mismatch, sizeof mismatch, cudaMemcpyHostToDevice, stream.get()), "clearing a count");
  if (fp64) {
    compare_kernel<<<blocks, kVerifyThreads, 0, stream.get()>>>(reinterpret_cast<const double*>(out.data()),
                                                               bytes() / sizeof(double), kernel, found.data());
  } else {
    compare_kernel<<<blocks, kVerifyThreads, 0, stream.get()>>>(reinterpret_cast<const float*>(out.data()),
                                                               bytes() / sizeof(float), kernel, found.data());
  }
  cuda::check_launch("verifying " + metric_name(kernel, precision));
  cuda::check(cudaMemcpyAsync(&mismatch, found.data(), sizeof mismatch, cudaMemcpyDeviceToHost, stream.get()), "reading a count");
  stream.synchronize();
  const bool ok = mismatch.none();
  return {ok, ok ? "" : std::to_string(mismatch.words) + " elements differ, the first at " + std::to_string(mismatch.first)};
}

}  // namespace assay::gpustream
