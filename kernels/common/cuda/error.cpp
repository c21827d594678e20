#include "common/cuda/error.hpp"

#include <cstdlib>
#include <optional>

#include "common/cuda/device.hpp"
#include "common/cuda/nvml.hpp"
#include "common/cuda/usable.hpp"
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

int newest_cuda_of_driver() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

// The codes by which CUDA says that no GPU can be used, or none by this program. Absent for all others.
std::optional<Missing> missing_by(cudaError_t code) {
  switch (code) {
    case cudaErrorNoDevice:
    case cudaErrorSystemNotReady:  // the fabric manager is not running
    case cudaErrorInitializationError: return Missing::Devices;
    case cudaErrorInsufficientDriver:  // also where there is no driver at all
      return newest_cuda_of_driver() == 0 ? Missing::Driver : Missing::NewerDriver;
    case cudaErrorCallRequiresNewerDriver:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorCompatNotSupportedOnDevice: return Missing::NewerDriver;
    case cudaErrorSystemDriverMismatch: return Missing::MatchingParts;
    default: return std::nullopt;
  }
}

void refuse_if_missing(cudaError_t code) {
  const auto missing = missing_by(code);
  if (!missing) return;
  const std::string module = version_of_module();
  refuse({*missing, std::string(cudaGetErrorString(code)) + " (" + cudaGetErrorName(code) + ")",
          devices_given(std::getenv("NVIDIA_VISIBLE_DEVICES"), std::getenv("CUDA_VISIBLE_DEVICES")),
          module.empty() ? Nvml::instance().driver_version() : module, newest_cuda_of_driver(), CUDART_VERSION});
}

}  // namespace

void fail(cudaError_t code, const std::string& action, int device) {
  refuse_if_missing(code);
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
