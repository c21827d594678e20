// CUDA errors as exceptions. Nothing below ever ends the process.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "common/program.hpp"

namespace assay::cuda {

class CudaError : public std::runtime_error {
 public:
  CudaError(const std::string& action, cudaError_t code)
      : std::runtime_error(action + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")"), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

// The driver found the hardware at fault. A program's own mistake never ends so, nor does want of memory.
inline bool is_hardware_fault(cudaError_t code) { return code == cudaErrorECCUncorrectable || code == cudaErrorNvlinkUncorrectable; }

// action: what was being done, as a gerund with its object ("copying gpu0 to gpu1").
inline void check(cudaError_t code, const std::string& action) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // a recoverable error must not be reported again by the next launch
  const CudaError error(action, code);
  if (is_hardware_fault(code)) throw HardwareFault(error.what());
  throw error;
}

// After every kernel launch.
inline void check_launch(const std::string& action) { check(cudaGetLastError(), action); }

}  // namespace assay::cuda
