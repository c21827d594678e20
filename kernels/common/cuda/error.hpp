// CUDA errors as exceptions. Nothing below ever ends the process.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace assay::cuda {

class CudaError : public std::runtime_error {
 public:
  CudaError(const std::string& action, cudaError_t code)
      : std::runtime_error(action + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")"), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

// Throws as refuse() of usable.hpp where CUDA says that no GPU can be used; NotComparable for what a healthy GPU answers while somebody else has it to himself or holds its memory, and names him;
// HardwareFault where the driver found the hardware at fault; CudaError for anything else. device: CUDA's index.
inline constexpr int kCurrentDevice = -1;
[[noreturn]] void fail(cudaError_t code, const std::string& action, int device);

// The same for a library that uses this thread's GPU: is_for_memory where its error is, or may be, one of missing memory.
[[noreturn]] void fail(const std::string& text, bool is_for_memory);

// So little of the memory of this thread's GPU is free that libraries cannot start.
bool is_full();

// action: what was being done, as a gerund with its object ("copying gpu0 to gpu1").
inline void check(cudaError_t code, const std::string& action, int device = kCurrentDevice) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // a recoverable error must not be reported again by the next launch
  fail(code, action, device);
}

// After every kernel launch.
inline void check_launch(const std::string& action) { check(cudaGetLastError(), action); }

}  // namespace assay::cuda
