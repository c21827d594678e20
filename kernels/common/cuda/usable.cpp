#include "common/cuda/usable.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>

#include "common/program.hpp"

namespace assay::cuda {
namespace {

constexpr std::size_t kMostOfList = 64;  // a UUID and a half: enough to find the GPU, and short enough for a message

std::string cuda_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

// The first driver of each major version of CUDA: all its minor versions run there.
std::string needed_driver(int cuda) {
  switch (cuda / 1000) {
    case 12: return ", from driver 525 on";
    case 13: return ", from driver 580 on";
    default: return "";
  }
}

std::string driver_text(const NoGpu& found) {
  return "driver " + (found.driver.empty() ? std::string("of unknown version") : found.driver);
}

bool is_gpu(const std::string& file) {
  constexpr std::size_t kPrefix = 6;  // nvidia0, but not nvidiactl
  return file.rfind("nvidia", 0) == 0 && file.size() > kPrefix &&
         std::all_of(file.begin() + kPrefix, file.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

void refuse(const NoGpu& found) {
  switch (found.missing) {
    case Missing::NewerDriver:
      throw DriverTooOld(driver_text(found) + (found.driver_cuda > 0 ? " knows CUDA up to " + cuda_text(found.driver_cuda) : " is too old") +
                         ", this program needs CUDA " + cuda_text(found.needed_cuda) + needed_driver(found.needed_cuda));
    case Missing::MatchingParts:
      throw DriverTooOld("the kernel module of " + driver_text(found) + " and the driver's library are of different versions (" + found.complaint +
                         "), this program needs CUDA " + cuda_text(found.needed_cuda) + needed_driver(found.needed_cuda) +
                         ": restart the node, or load the module anew");
    case Missing::Driver:
      if (found.given.empty()) break;
      throw DriverTooOld("there is no driver's library (libcuda.so.1) in this container, which was given GPUs (" + found.given +
                         "): NVIDIA_DRIVER_CAPABILITIES must name compute; this program needs CUDA " + cuda_text(found.needed_cuda) +
                         needed_driver(found.needed_cuda));
    case Missing::Devices: break;
  }
  if (found.given.empty()) throw CannotRun("no usable GPU: " + found.complaint);
  throw DevicesUnusable("no GPU can be used, and this container was given some (" + found.given + "): " + found.complaint);
}

std::string devices_given(const char* nvidia_visible, const char* cuda_visible, const std::filesystem::path& dev) {
  if (cuda_visible != nullptr) return "";
  const std::string list = nvidia_visible == nullptr ? "" : nvidia_visible;
  if (!list.empty() && list != "all" && list != "void" && list != "none") {
    return "NVIDIA_VISIBLE_DEVICES=" + (list.size() > kMostOfList ? list.substr(0, kMostOfList) + "..." : list);
  }
  std::string first;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dev, error)) {
    if (is_gpu(entry.path().filename()) && (first.empty() || entry.path().string() < first)) first = entry.path().string();
  }
  return first;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep ..." or "... Open Kernel Module for x86_64  580.95.05  Release ..."
std::string version_of_module(const std::filesystem::path& file) {
  std::ifstream words(file);
  for (std::string word; words >> word;) {
    const bool is_version = word.find('.') != std::string::npos &&
                            std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
    if (is_version) return word;
  }
  return "";
}

}  // namespace assay::cuda
