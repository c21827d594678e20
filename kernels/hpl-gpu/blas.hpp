// cuBLAS in FP64, on one stream.
#pragma once

#include <cublas_v2.h>

#include <string>

#include "hpl-gpu/backend.hpp"

namespace assay::hplgpu {

std::string cublas_version();

class Blas {
 public:
  explicit Blas(cudaStream_t stream);
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  void multiply(const Matrix& c, const Matrix& a, const Matrix& b);
  void subtract_product(const Matrix& c, const Matrix& a, const Matrix& b);
  void solve_upper(const Matrix& u, double* x);
  void subtract_times(const Matrix& a, const double* x, double* y);

 private:
  void gemm(const Matrix& c, const Matrix& a, const Matrix& b, const double& of_product, const double& of_c);

  cublasHandle_t handle_ = nullptr;
};

}  // namespace assay::hplgpu
