#include "common/cuda/error.hpp"

#include "common/cuda/device.hpp"
#include "common/program.hpp"

namespace assay::cuda {
namespace {

// A program's own mistake never ends so, nor does want of memory.
bool is_hardware_fault(cudaError_t code) { return code == cudaErrorECCUncorrectable || code == cudaErrorNvlinkUncorrectable; }

[[noreturn]] void fail_for_others(const std::string& text, int device) {
  const bool is_known = device != kCurrentDevice || cudaGetDevice(&device) == cudaSuccess;
  const std::string holders = is_known ? holders_now(device) : "";
  throw NotComparable(text + (holders.empty() ? "" : "; " + holders));
}

}  // namespace

void fail(cudaError_t code, const std::string& action, int device) {
  const CudaError error(action, code);
  if (code == cudaErrorMemoryAllocation || code == cudaErrorDevicesUnavailable) fail_for_others(error.what(), device);
  if (is_hardware_fault(code)) throw HardwareFault(error.what());
  throw error;
}

void fail(const std::string& text, bool is_for_memory) {
  if (is_for_memory) fail_for_others(text, kCurrentDevice);
  throw std::runtime_error(text);
}

bool is_full() {
  constexpr std::size_t kLibraryBytes = std::size_t{512} << 20;
  std::size_t free = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess && free < kLibraryBytes;
}

}  // namespace assay::cuda
