// What it means that CUDA finds no GPU. Host code without CUDA: it is fed with what CUDA and the system say.
#pragma once

#include <filesystem>
#include <string>

namespace assay::cuda {

// Why CUDA finds none.
enum class Missing {
  Devices,       // it says that none can be used
  Driver,        // there is no driver's library, which says nothing of the devices
  NewerDriver,   // the driver is too old
  MatchingParts  // the driver's library and its kernel module are of different versions
};

struct NoGpu {
  Missing missing;
  std::string complaint;  // CUDA's
  std::string given;      // devices_given()
  std::string driver;     // "535.104.05"; empty: unknown
  int driver_cuda = 0;    // the newest CUDA that the driver knows, as 12020; 0: unknown
  int needed_cuda = 0;
};

// Throws DriverTooOld; or DevicesUnusable where the container was given devices; or CannotRun: none is there, so none can be sick.
[[noreturn]] void refuse(const NoGpu& found);

// How it is known that this container was given GPUs: "NVIDIA_VISIBLE_DEVICES=GPU-5e0c..." (as the device plugin sets it; `all`, which images
// ask for, gives nothing on a machine without GPUs) or "/dev/nvidia0". Empty where nothing says so, or where CUDA_VISIBLE_DEVICES is set: it may
// name a GPU that is not there, and hide those that are.
// The values are those of the two variables, or null.
std::string devices_given(const char* nvidia_visible, const char* cuda_visible, const std::filesystem::path& dev = "/dev");

// The version in /proc/driver/nvidia/version, which the kernel module writes; empty where there is none.
std::string version_of_module(const std::filesystem::path& file = "/proc/driver/nvidia/version");

}  // namespace assay::cuda
