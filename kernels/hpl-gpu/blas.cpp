#include "hpl-gpu/blas.hpp"

#include <cublasLt.h>

#include "common/cuda/error.hpp"

namespace assay::hplgpu {
namespace {

void check(cublasStatus_t status, const std::string& action) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  // Without memory for its own, cuBLAS says that it cannot start.
  const bool is_for_memory = status == CUBLAS_STATUS_ALLOC_FAILED || (status == CUBLAS_STATUS_NOT_INITIALIZED && cuda::is_full());
  cuda::fail(action + ": " + cublasGetStatusString(status), is_for_memory);
}

// An order fits into an int; places in memory are computed in 64 bits before.
int size(std::int64_t value) { return static_cast<int>(value); }

constexpr double kZero = 0, kOne = 1, kMinusOne = -1;

}  // namespace

std::string cublas_version() {
  const std::size_t version = cublasLtGetVersion();
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

Blas::Blas(cudaStream_t stream) {
  check(cublasCreate(&handle_), "starting cuBLAS");
  check(cublasSetStream(handle_, stream), "setting cuBLAS's stream");
  check(cublasSetMathMode(handle_, CUBLAS_DEFAULT_MATH), "setting cuBLAS's math mode");
}

Blas::~Blas() {
  if (handle_ != nullptr) cublasDestroy(handle_);
}

void Blas::multiply(const Matrix& c, const Matrix& a, const Matrix& b) { gemm(c, a, b, kOne, kZero); }

void Blas::subtract_product(const Matrix& c, const Matrix& a, const Matrix& b) { gemm(c, a, b, kMinusOne, kOne); }

// c = of_product a b + of_c c
void Blas::gemm(const Matrix& c, const Matrix& a, const Matrix& b, const double& of_product, const double& of_c) {
  check(cublasDgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, size(c.rows), size(c.columns), size(a.columns), &of_product, a.data, size(a.ld),
                    b.data, size(b.ld), &of_c, c.data, size(c.ld)),
        "multiplying");
}

void Blas::solve_upper(const Matrix& u, double* x) {
  check(cublasDtrsv(handle_, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, size(u.rows), u.data, size(u.ld), x, 1),
        "solving for a part of x");
}

void Blas::subtract_times(const Matrix& a, const double* x, double* y) {
  check(cublasDgemv(handle_, CUBLAS_OP_N, size(a.rows), size(a.columns), &kMinusOne, a.data, size(a.ld), x, 1, &kOne, y, 1),
        "subtracting what a part of x adds");
}

}  // namespace assay::hplgpu
