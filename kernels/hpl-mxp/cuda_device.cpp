#include "hpl-mxp/cuda_device.hpp"

#include <cublas_v2.h>

#include <deque>
#include <string>

#include "common/cuda/buffer.hpp"
#include "hpl-gpu/kernels.hpp"
#include "hpl-mxp/kernels.hpp"

namespace assay::hplmxp {
namespace {

void check(cublasStatus_t status, const std::string& action) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  // Without memory for its own, cuBLAS says that it cannot start.
  const bool is_for_memory = status == CUBLAS_STATUS_ALLOC_FAILED || (status == CUBLAS_STATUS_NOT_INITIALIZED && cuda::is_full());
  cuda::fail(action + ": " + cublasGetStatusString(status), is_for_memory);
}

int size(std::int64_t value) { return static_cast<int>(value); }

constexpr float kOne = 1, kZero = 0, kMinusOne = -1;

class CudaDevice : public Device {
 public:
  explicit CudaDevice(const cuda::Gpu& gpu) : device_(gpu.index), on_(gpu.index), stream_(gpu.index),
        products_(gpu.major >= 8 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F) {
    check(cublasCreate(&blas_), "starting cuBLAS");
    check(cublasSetStream(blas_, stream_.get()), "setting cuBLAS's stream");
  }
  ~CudaDevice() override { cublasDestroy(blas_); }

  void* allocate(std::size_t bytes) override { return memory_.emplace_back(device_, bytes).data(); }
  std::vector<double> download(const double* from, std::size_t count) override { return fetch(from, count); }
  std::vector<float> download(const float* from, std::size_t count) override { return fetch(from, count); }
  void upload(const std::vector<double>& from, double* to) override { put(from, to); }
  void upload(const std::vector<float>& from, float* to) override { put(from, to); }
  void wait() override { stream_.synchronize(); }

  void generate(const Floats& a, const double* diagonal) override { queue_generate(a, diagonal, stream_.get()); }
  void row_sums(std::int64_t order, const double* x, double* products, double* sums) override {
    for (double* const each : {products, sums}) {
      cuda::check(cudaMemsetAsync(each, 0, static_cast<std::size_t>(order) * sizeof(double), stream_.get()), "clearing a vector");
    }
    hplgpu::queue_row_sums({0, 0, order}, order, x, products, sums, stream_.get());
  }
  void factor(const Floats& a) override;
  void invert(const Floats& lu, const Floats& l, const Floats& u) override {
    queue_identity(l, stream_.get());
    queue_identity(u, stream_.get());
    solve(CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT, lu, l);
    solve(CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, lu, u);
  }
  void multiply(const Floats& c, const Floats& a, const Floats& b) override {
    check(cublasGemmEx(blas_, CUBLAS_OP_N, CUBLAS_OP_N, size(c.rows), size(c.columns), size(a.columns), &kOne, a.data, CUDA_R_32F, size(a.ld),
                       b.data, CUDA_R_32F, size(b.ld), &kZero, c.data, CUDA_R_32F, size(c.ld), products_, CUBLAS_GEMM_DEFAULT),
          "multiplying with an inverse");
  }
  void store(const Floats& from, const Floats& to, const Halves& rounded, float scale) override {
    queue_store(from, to, rounded, scale, stream_.get());
  }
  void subtract_product(const Floats& c, const Halves& a, const Halves& b, float scale) override {
    const float factor = -scale;
    check(cublasGemmEx(blas_, CUBLAS_OP_N, CUBLAS_OP_N, size(c.rows), size(c.columns), size(a.columns), &factor, a.data, CUDA_R_16F, size(a.ld),
                       b.data, CUDA_R_16F, size(b.ld), &kOne, c.data, CUDA_R_32F, size(c.ld), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "multiplying in half precision");
  }
  void multiply_vector(const Floats& a, const float* x, float* y) override { times(a, kOne, x, kZero, y); }
  void subtract_times(const Floats& a, const float* x, float* y) override { times(a, kMinusOne, x, kOne, y); }
  void flip_bit(float* value) override { queue_flip(value, stream_.get()); }

 private:
  template <typename T>
  std::vector<T> fetch(const T* from, std::size_t count) {
    std::vector<T> to(count);
    cuda::check(cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_.get()), "copying from the GPU");
    wait();
    return to;
  }
  template <typename T>
  void put(const std::vector<T>& from, T* to) {
    cuda::check(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream_.get()), "copying to the GPU");
    wait();
  }
  void solve(cublasSideMode_t side, cublasFillMode_t triangle, cublasDiagType_t diagonal, const Floats& a, const Floats& b) {
    check(cublasStrsm(blas_, side, triangle, CUBLAS_OP_N, diagonal, size(b.rows), size(b.columns), &kOne, a.data, size(a.ld), b.data, size(b.ld)),
          "solving for a block");
  }
  void times(const Floats& a, const float& alpha, const float* x, const float& beta, float* y) {
    check(cublasSgemv(blas_, CUBLAS_OP_N, size(a.rows), size(a.columns), &alpha, a.data, size(a.ld), x, 1, &beta, y, 1), "multiplying with a vector");
  }

  int device_;
  cuda::OnDevice on_;
  cuda::Stream stream_;
  cublasComputeType_t products_;  // of full floats
  std::deque<cuda::DeviceBuffer<std::byte>> memory_;
  cublasHandle_t blas_ = nullptr;
};

// Recursive, so that most of it is matrix products, which are in full FP32 here.
void CudaDevice::factor(const Floats& a) {
  if (a.rows <= kMostBase) return queue_base(a, stream_.get());
  const std::int64_t half = (a.rows / 2 + kMostBase - 1) / kMostBase * kMostBase, rest = a.rows - half;
  const Floats corner = a.part(0, 0, half, half), right = a.part(0, half, half, rest), below = a.part(half, 0, rest, half);
  const Floats last = a.part(half, half, rest, rest);
  factor(corner);
  solve(CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT, corner, right);
  solve(CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, corner, below);
  check(cublasSgemm(blas_, CUBLAS_OP_N, CUBLAS_OP_N, size(rest), size(rest), size(half), &kMinusOne, below.data, size(below.ld), right.data,
                    size(right.ld), &kOne, last.data, size(last.ld)),
        "multiplying");
  factor(last);
}

}  // namespace

std::unique_ptr<Device> make_cuda_device(const cuda::Gpu& gpu) { return std::make_unique<CudaDevice>(gpu); }

}  // namespace assay::hplmxp
