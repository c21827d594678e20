#include <algorithm>

#include "common/cuda/nvml.hpp"
#include "inventory/nvml.hpp"
#include "power/gpus.hpp"

namespace assay::power {
namespace {

GpuAtRest describe(const inventory::NvmlLibrary& nvml, nvmlDevice_t device) {
  GpuAtRest gpu;
  if (const auto pci = nvml.ask<nvmlPciInfo_t>("nvmlDeviceGetPciInfo_v3", device)) gpu.pci = pci->busId;
  gpu.uuid = nvml.text("nvmlDeviceGetUUID", device);
  gpu.product = nvml.text("nvmlDeviceGetName", device);
  if (const auto mhz = nvml.ask<unsigned>("nvmlDeviceGetMaxClockInfo", device, NVML_CLOCK_SM)) gpu.max_mhz = *mhz;
  if (const auto mode = nvml.ask<nvmlEnableState_t>("nvmlDeviceGetPersistenceMode", device)) gpu.is_persistent = *mode == NVML_FEATURE_ENABLED;
  return gpu;
}

}  // namespace

FoundGpus find_gpus() {
  static const inventory::NvmlLibrary nvml;  // stays open, so that the driver does not wake the GPUs at each look
  FoundGpus found{{}, nvml.problem()};
  if (!nvml.is_ready()) return found;
  const unsigned count = nvml.ask<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  for (unsigned index = 0; index < count; ++index) {
    nvmlDevice_t device{};
    if (nvml.call("nvmlDeviceGetHandleByIndex_v2", &device, index) == NVML_SUCCESS) found.gpus.push_back(describe(nvml, device));
  }
  if (found.gpus.empty()) found.problem = "NVML shows no GPU";
  std::sort(found.gpus.begin(), found.gpus.end(), [](const GpuAtRest& a, const GpuAtRest& b) { return a.pci < b.pci; });
  for (std::size_t i = 0; i < found.gpus.size(); ++i) found.gpus[i].name = "gpu" + std::to_string(i);
  return found;
}

void look(std::vector<GpuAtRest>& gpus, bool with_processes) {
  const auto& nvml = cuda::Nvml::instance();
  for (auto& gpu : gpus) {
    const auto reading = nvml.reading(gpu.uuid);
    if (reading.power_milliwatts) gpu.watts.push_back(*reading.power_milliwatts * 1e-3);
    if (reading.sm_clock_mhz) gpu.mhz.push_back(*reading.sm_clock_mhz);
    if (reading.celsius) gpu.celsius.push_back(*reading.celsius);
    if (!with_processes) continue;
    const std::string holders = cuda::holders(nvml.occupancy(gpu.uuid), 0);
    if (!holders.empty()) gpu.holders = holders;
  }
}

}  // namespace assay::power
