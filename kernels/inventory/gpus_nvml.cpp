#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <thread>

#include "inventory/gpus.hpp"
#include "inventory/nvml.hpp"

namespace assay::inventory {
namespace {

using Facts = std::vector<std::pair<std::string, Document::Value>>;

template <typename T>
void add(Facts& facts, const char* name, const std::optional<T>& value) {
  if (value) facts.emplace_back(name, Document::to_value(*value));
}
void add(Facts& facts, const char* name, const std::string& text) {
  if (!text.empty()) facts.emplace_back(name, text);
}
std::optional<bool> enabled(const std::optional<nvmlEnableState_t>& state) {
  if (!state) return std::nullopt;
  return *state == NVML_FEATURE_ENABLED;
}

// NVML writes the domain with eight digits, the kernel with four.
std::string address_of(const nvmlPciInfo_t& info) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", info.domain, info.bus, info.device);
  return text;
}

using Clock = std::chrono::steady_clock;

// A registration in progress is asked about again, until the time is up.
std::optional<nvmlGpuFabricInfo_v2_t> ask_fabric(const NvmlLibrary& nvml, nvmlDevice_t device, Clock::time_point until) {
  while (true) {
    nvmlGpuFabricInfo_v2_t info{};
    info.version = nvmlGpuFabricInfo_v2;
    if (nvml.call("nvmlDeviceGetGpuFabricInfoV", &info, device) != NVML_SUCCESS) return std::nullopt;
    if (info.state != NVML_GPU_FABRIC_STATE_IN_PROGRESS || Clock::now() >= until) return info;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

// Registration with the fabric of NVSwitches, where there is one.
void add_fabric(const NvmlLibrary& nvml, nvmlDevice_t device, Clock::time_point until, Gpu& gpu) {
  const auto answer = ask_fabric(nvml, device, until);
  if (!answer) return;
  const nvmlGpuFabricInfo_v2_t& info = *answer;
  std::string state;
  switch (info.state) {
    case NVML_GPU_FABRIC_STATE_NOT_STARTED: state = "notStarted"; break;
    case NVML_GPU_FABRIC_STATE_IN_PROGRESS: state = "inProgress"; break;
    case NVML_GPU_FABRIC_STATE_COMPLETED:
      state = info.status == NVML_SUCCESS ? "completed" : "failed with error " + std::to_string(info.status);
      break;
    default: return;
  }
  gpu.fabric_down = state != "completed" && info.state != NVML_GPU_FABRIC_STATE_IN_PROGRESS;
  gpu.fabric_degraded = NVML_GPU_FABRIC_HEALTH_TEST(info.healthMask, _DEGRADED_BW, _TRUE);
  gpu.more.emplace_back("fabricState", state);
}

// From Ampere on, GPUs replace rows of memory; before, the driver retires pages.
void add_memory_health(const NvmlLibrary& nvml, nvmlDevice_t device, Gpu& gpu) {
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  using Remapped = nvmlReturn_t (*)(nvmlDevice_t, unsigned*, unsigned*, unsigned*, unsigned*);
  if (const auto rows = nvml.find<Remapped>("nvmlDeviceGetRemappedRows");
      rows != nullptr && rows(device, &corrected, &uncorrected, &pending, &failed) == NVML_SUCCESS) {
    gpu.row_remap_failed = failed != 0;
    gpu.memory_repair_pending = pending != 0;
    gpu.more.emplace_back("rowsRemappedUncorrected", static_cast<std::int64_t>(uncorrected));
    gpu.more.emplace_back("rowsRemappedCorrected", static_cast<std::int64_t>(corrected));
  }
  if (const auto waiting = nvml.ask<nvmlEnableState_t>("nvmlDeviceGetRetiredPagesPendingStatus", device)) {
    gpu.memory_repair_pending = gpu.memory_repair_pending || *waiting == NVML_FEATURE_ENABLED;
    std::int64_t retired = 0;
    using Retired = nvmlReturn_t (*)(nvmlDevice_t, nvmlPageRetirementCause_t, unsigned*, unsigned long long*);
    const auto pages = nvml.find<Retired>("nvmlDeviceGetRetiredPages");
    for (const auto cause : {NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS, NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR}) {
      unsigned count = 0;  // asked for none of the addresses, it says how many there are
      if (pages != nullptr) pages(device, cause, &count, nullptr);
      retired += count;
    }
    gpu.more.emplace_back("pagesRetired", retired);
  }
}

void add_errors(const NvmlLibrary& nvml, nvmlDevice_t device, Facts& facts) {
  const auto errors = [&](nvmlMemoryErrorType_t type, nvmlEccCounterType_t since) {
    return nvml.ask<unsigned long long>("nvmlDeviceGetTotalEccErrors", device, type, since);
  };
  add(facts, "eccUncorrectedSinceBoot", errors(NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC));
  add(facts, "eccUncorrected", errors(NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC));
  add(facts, "eccCorrected", errors(NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_AGGREGATE_ECC));
}

void add_links(const NvmlLibrary& nvml, nvmlDevice_t device, Gpu& gpu) {
  const auto width = nvml.ask<unsigned>("nvmlDeviceGetCurrPcieLinkWidth", device);
  const auto most = nvml.ask<unsigned>("nvmlDeviceGetMaxPcieLinkWidth", device);
  if (width) gpu.pcie_width = *width;
  if (most) gpu.pcie_width_max = *most;
  gpu.c2c_links = nvml.field(device, NVML_FI_DEV_C2C_LINK_COUNT).value_or(0);
  std::optional<std::int64_t> slowest;
  for (unsigned link = 0; link < NVML_NVLINK_MAX_LINKS; ++link) {
    const auto state = nvml.ask<nvmlEnableState_t>("nvmlDeviceGetNvLinkState", device, link);
    if (!state) continue;
    const bool is_up = *state == NVML_FEATURE_ENABLED;
    gpu.nvlinks_up = gpu.nvlinks_up.value_or(0) + (is_up ? 1 : 0);
    const auto speed = is_up ? nvml.field(device, NVML_FI_DEV_NVLINK_GET_SPEED, link) : std::nullopt;
    if (speed && *speed > 0) slowest = std::min(slowest.value_or(*speed), *speed);
  }
  if (slowest) gpu.more.emplace_back("nvlinkGBps", static_cast<double>(*slowest) / 1000);
}

std::optional<std::string> compute_mode(const NvmlLibrary& nvml, nvmlDevice_t device) {
  const auto mode = nvml.ask<nvmlComputeMode_t>("nvmlDeviceGetComputeMode", device);
  if (!mode) return std::nullopt;
  switch (*mode) {
    case NVML_COMPUTEMODE_DEFAULT: return "default";
    case NVML_COMPUTEMODE_EXCLUSIVE_PROCESS: return "exclusiveProcess";
    case NVML_COMPUTEMODE_PROHIBITED: return "prohibited";
    default: return "mode " + std::to_string(*mode);
  }
}

// Settings and versions, those that explain a difference in speed first.
void add_settings(const NvmlLibrary& nvml, nvmlDevice_t device, Gpu& gpu) {
  Facts& facts = gpu.more;
  add(facts, "vbios", nvml.text("nvmlDeviceGetVbiosVersion", device));
  add(facts, "pcieGenerationMax", nvml.ask<unsigned>("nvmlDeviceGetMaxPcieLinkGeneration", device));
  add(facts, "pcieGeneration", nvml.ask<unsigned>("nvmlDeviceGetCurrPcieLinkGeneration", device));  // may be low while idle
  if (const auto mode = nvml.ask_both<nvmlEnableState_t>("nvmlDeviceGetEccMode", device)) {
    gpu.ecc_off = mode->first != NVML_FEATURE_ENABLED;
  }
  if (const auto mode = nvml.ask_both<unsigned>("nvmlDeviceGetMigMode", device)) {
    facts.emplace_back("migEnabled", mode->first == NVML_DEVICE_MIG_ENABLE);
  }
  add(facts, "computeMode", compute_mode(nvml, device));
  add(facts, "persistence", enabled(nvml.ask<nvmlEnableState_t>("nvmlDeviceGetPersistenceMode", device)));
  add(facts, "smClockMaxMHz", nvml.ask<unsigned>("nvmlDeviceGetMaxClockInfo", device, NVML_CLOCK_SM));
  add(facts, "memoryClockMaxMHz", nvml.ask<unsigned>("nvmlDeviceGetMaxClockInfo", device, NVML_CLOCK_MEM));
  if (const auto memory = nvml.ask<nvmlMemory_t>("nvmlDeviceGetMemoryInfo", device)) {
    facts.emplace_back("gpuMemoryMiB", static_cast<std::int64_t>(memory->total >> 20));
  }
  add(facts, "inforom", nvml.text("nvmlDeviceGetInforomImageVersion", device));
  add(facts, "gpuPartNumber", nvml.text("nvmlDeviceGetBoardPartNumber", device));
  add(facts, "gpuSerial", nvml.text("nvmlDeviceGetSerial", device));
}

std::optional<std::int64_t> watts(const std::optional<unsigned>& milliwatts) {
  if (!milliwatts) return std::nullopt;
  return (*milliwatts + 500) / 1000;
}

// Nothing where this process may not ask for it: another container's GPU is not lost.
std::optional<Gpu> read_gpu(const NvmlLibrary& nvml, unsigned index, Clock::time_point until) {
  Gpu gpu;
  nvmlDevice_t device{};
  nvmlReturn_t code = nvml.call("nvmlDeviceGetHandleByIndex_v2", &device, index);
  if (code == NVML_SUCCESS) {
    if (const auto pci = nvml.ask<nvmlPciInfo_t>("nvmlDeviceGetPciInfo_v3", device)) gpu.pci = address_of(*pci);
    code = nvml.read_text(gpu.uuid, "nvmlDeviceGetUUID", device);
  }
  if (code == NVML_ERROR_NO_PERMISSION) return std::nullopt;
  if (code != NVML_SUCCESS) {
    gpu.is_lost = true;
    return gpu;
  }
  gpu.product = nvml.text("nvmlDeviceGetName", device);
  gpu.power_limit_watts = watts(nvml.ask<unsigned>("nvmlDeviceGetPowerManagementLimit", device));
  gpu.power_limit_default_watts = watts(nvml.ask<unsigned>("nvmlDeviceGetPowerManagementDefaultLimit", device));
  add_memory_health(nvml, device, gpu);
  add_fabric(nvml, device, until, gpu);
  add_links(nvml, device, gpu);
  add_settings(nvml, device, gpu);
  add_errors(nvml, device, gpu.more);
  return gpu;
}

}  // namespace

GpuInventory read_gpus() {
  GpuInventory inventory;
  const NvmlLibrary nvml;
  inventory.problem = nvml.problem();
  if (!nvml.is_ready()) return inventory;
  inventory.driver = nvml.text("nvmlSystemGetDriverVersion");
  if (const auto cuda = nvml.ask<int>("nvmlSystemGetCudaDriverVersion_v2")) {
    inventory.cuda = std::to_string(*cuda / 1000) + "." + std::to_string(*cuda % 1000 / 10);
  }
  const unsigned count = nvml.ask<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  const auto until = Clock::now() + std::chrono::seconds(5);
  for (unsigned index = 0; index < count; ++index) {
    if (auto gpu = read_gpu(nvml, index, until)) inventory.gpus.push_back(std::move(*gpu));
  }
  return inventory;
}

}  // namespace assay::inventory
