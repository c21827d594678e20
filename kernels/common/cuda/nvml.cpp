#include "common/cuda/nvml.hpp"

#include <dlfcn.h>
#include <nvml.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>

namespace assay::cuda {
namespace {

std::uint64_t to_unsigned(const nvmlFieldValue_t& field) {
  switch (field.valueType) {
    case NVML_VALUE_TYPE_DOUBLE: return static_cast<std::uint64_t>(field.value.dVal);
    case NVML_VALUE_TYPE_UNSIGNED_INT: return field.value.uiVal;
    case NVML_VALUE_TYPE_UNSIGNED_LONG: return field.value.ulVal;
    case NVML_VALUE_TYPE_SIGNED_LONG_LONG: return static_cast<std::uint64_t>(field.value.sllVal);
    default: return field.value.ullVal;
  }
}

// The kernel's name of a process of this container; at most 15 characters.
std::string process_name(unsigned pid) {
  std::string name;
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::getline(file, name);
  return name;
}

// The larger figure of two looks around a third reading: an allocation between them then never looks like somebody else's.
void merge(std::vector<GpuProcess>& into, const std::vector<GpuProcess>& more) {
  for (const auto& process : more) {
    const auto known = std::find_if(into.begin(), into.end(), [&](const GpuProcess& one) { return one.pid == process.pid; });
    if (known == into.end()) {
      into.push_back(process);
    } else {
      known->bytes = std::max(known->bytes, process.bytes);
    }
  }
}

}  // namespace

struct Nvml::Library {
  using Processes = nvmlReturn_t (*)(nvmlDevice_t, unsigned*, nvmlProcessInfo_t*);

  void* handle = nullptr;
  nvmlReturn_t (*init)() = nullptr;
  nvmlReturn_t (*shutdown)() = nullptr;
  nvmlReturn_t (*driver_version)(char*, unsigned) = nullptr;
  nvmlReturn_t (*handle_by_uuid)(const char*, nvmlDevice_t*) = nullptr;
  nvmlReturn_t (*field_values)(nvmlDevice_t, int, nvmlFieldValue_t*) = nullptr;
  nvmlReturn_t (*clock_info)(nvmlDevice_t, nvmlClockType_t, unsigned*) = nullptr;
  nvmlReturn_t (*temperature)(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned*) = nullptr;
  // Drivers without these have less to say.
  std::array<Processes, 3> processes{};  // computing, drawing, and clients of the sharing server
  nvmlReturn_t (*memory_info)(nvmlDevice_t, nvmlMemory_v2_t*) = nullptr;
  nvmlReturn_t (*samples)(nvmlDevice_t, nvmlSamplingType_t, unsigned long long, nvmlValueType_t*, unsigned*, nvmlSample_t*) = nullptr;
  nvmlReturn_t (*process_utilisation)(nvmlDevice_t, nvmlProcessUtilizationSample_t*, unsigned*, unsigned long long) = nullptr;
  nvmlReturn_t (*clock_limits)(nvmlDevice_t, unsigned long long*) = nullptr;
  nvmlReturn_t (*pcie_generation)(nvmlDevice_t, unsigned*) = nullptr;
  nvmlReturn_t (*pcie_width)(nvmlDevice_t, unsigned*) = nullptr;
  nvmlReturn_t (*ecc_mode)(nvmlDevice_t, nvmlEnableState_t*, nvmlEnableState_t*) = nullptr;
  bool ready = false;
  unsigned long long loaded_microseconds = static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch()).count());

  template <typename Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    return function != nullptr;
  }

  Library() {
    handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return;
    const bool complete = find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
                          find(driver_version, "nvmlSystemGetDriverVersion") &&
                          find(handle_by_uuid, "nvmlDeviceGetHandleByUUID") &&
                          find(field_values, "nvmlDeviceGetFieldValues") && find(clock_info, "nvmlDeviceGetClockInfo") &&
                          find(temperature, "nvmlDeviceGetTemperature");
    ready = complete && init() == NVML_SUCCESS;
    find(processes[0], "nvmlDeviceGetComputeRunningProcesses_v3");
    find(processes[1], "nvmlDeviceGetGraphicsRunningProcesses_v3");
    find(processes[2], "nvmlDeviceGetMPSComputeRunningProcesses_v3");
    find(memory_info, "nvmlDeviceGetMemoryInfo_v2");
    find(samples, "nvmlDeviceGetSamples");
    find(process_utilisation, "nvmlDeviceGetProcessUtilization");
    if (!find(clock_limits, "nvmlDeviceGetCurrentClocksEventReasons")) find(clock_limits, "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
    find(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
    find(ecc_mode, "nvmlDeviceGetEccMode");
  }

  ~Library() {
    if (ready) shutdown();
    if (handle != nullptr) dlclose(handle);
  }

  std::optional<nvmlDevice_t> device(const std::string& uuid) const {
    nvmlDevice_t found{};
    if (!ready || handle_by_uuid(uuid.c_str(), &found) != NVML_SUCCESS) return std::nullopt;
    return found;
  }

  // Absent where the list of compute processes cannot be read.
  std::optional<std::vector<GpuProcess>> running(nvmlDevice_t device) const {
    std::vector<GpuProcess> all;
    for (std::size_t kind = 0; kind < processes.size(); ++kind) {
      std::array<nvmlProcessInfo_t, 256> infos{};
      auto count = static_cast<unsigned>(infos.size());
      if (processes[kind] == nullptr || processes[kind](device, &count, infos.data()) != NVML_SUCCESS) {
        if (kind == 0) return std::nullopt;
        continue;
      }
      std::vector<GpuProcess> found;
      for (unsigned i = 0; i < count; ++i) {
        const bool is_told = infos[i].usedGpuMemory != static_cast<unsigned long long>(NVML_VALUE_NOT_AVAILABLE);
        found.push_back({infos[i].pid, process_name(infos[i].pid),
                         is_told ? std::optional<std::uint64_t>(infos[i].usedGpuMemory) : std::nullopt});
      }
      merge(all, found);
    }
    return all;
  }

  std::optional<std::uint64_t> used_bytes(nvmlDevice_t device) const {
    nvmlMemory_v2_t memory{};
    memory.version = nvmlMemory_v2;
    if (memory_info == nullptr || memory_info(device, &memory) != NVML_SUCCESS) return std::nullopt;
    return memory.used;
  }

  // Whoever used the GPU since this library was loaded. The driver leaves the host's pid to processes that have none in this container.
  std::set<unsigned> at_work(nvmlDevice_t device) const {
    std::array<nvmlProcessUtilizationSample_t, 256> found{};
    auto count = static_cast<unsigned>(found.size());
    std::set<unsigned> pids;
    if (process_utilisation == nullptr || process_utilisation(device, found.data(), &count, loaded_microseconds) != NVML_SUCCESS) return pids;
    for (unsigned i = 0; i < count; ++i) {
      if (found[i].timeStamp > loaded_microseconds && found[i].smUtil <= 100 && found[i].pid != 0) pids.insert(found[i].pid);
    }
    return pids;
  }

  // Utilisation that the driver sampled after a time of its own, oldest first, with the times.
  std::vector<std::pair<unsigned long long, unsigned>> utilisation(nvmlDevice_t device, unsigned long long after) const {
    std::array<nvmlSample_t, 256> buffer{};
    auto count = static_cast<unsigned>(buffer.size());
    nvmlValueType_t type{};
    std::vector<std::pair<unsigned long long, unsigned>> found;
    if (samples == nullptr || samples(device, NVML_GPU_UTILIZATION_SAMPLES, after, &type, &count, buffer.data()) != NVML_SUCCESS) {
      return found;
    }
    for (unsigned i = 0; i < count; ++i) {
      if (buffer[i].timeStamp > after) found.emplace_back(buffer[i].timeStamp, buffer[i].sampleValue.uiVal);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
};

Nvml::Nvml() : library_(std::make_unique<Library>()) {}
Nvml::~Nvml() = default;

Nvml& Nvml::instance() {
  static Nvml nvml;
  return nvml;
}

bool Nvml::is_available() const { return library_->ready; }

std::string Nvml::driver_version() const {
  std::array<char, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE> text{};
  if (!library_->ready || library_->driver_version(text.data(), text.size()) != NVML_SUCCESS) return "";
  return text.data();
}

Counters Nvml::counters(const std::string& uuid) const {
  Counters counters;
  const auto device = library_->device(uuid);
  if (!device) return counters;
  const std::array<std::pair<unsigned, Counters::Value*>, 13> wanted{{
      {NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, &counters.energy_millijoules},
      {NVML_FI_DEV_PERF_POLICY_POWER, &counters.power_cap_ns},
      {NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN, &counters.thermal_software_ns},
      {NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN, &counters.thermal_hardware_ns},
      {NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN, &counters.power_brake_ns},
      {NVML_FI_DEV_ECC_SBE_VOL_TOTAL, &counters.ecc_corrected},
      {NVML_FI_DEV_ECC_DBE_VOL_TOTAL, &counters.ecc_uncorrected},
      {NVML_FI_DEV_REMAPPED_COR, &counters.rows_remapped_corrected},
      {NVML_FI_DEV_REMAPPED_UNC, &counters.rows_remapped_uncorrected},
      {NVML_FI_DEV_REMAPPED_PENDING, &counters.row_remap_pending},
      {NVML_FI_DEV_REMAPPED_FAILURE, &counters.row_remap_failed},
      {NVML_FI_DEV_PCIE_REPLAY_COUNTER, &counters.pcie_replays},
      {NVML_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL, &counters.nvlink_errors},
  }};
  constexpr std::array<unsigned, 3> kMoreNvlinkErrors{NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL,
                                                      NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL,
                                                      NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL};
  nvmlEnableState_t ecc{}, pending{};
  if (library_->ecc_mode != nullptr && library_->ecc_mode(*device, &ecc, &pending) == NVML_SUCCESS) {
    counters.ecc_enabled = ecc == NVML_FEATURE_ENABLED ? 1 : 0;
  }
  std::array<nvmlFieldValue_t, 16> fields{};
  for (std::size_t i = 0; i < wanted.size(); ++i) fields[i].fieldId = wanted[i].first;
  for (std::size_t i = 0; i < kMoreNvlinkErrors.size(); ++i) fields[wanted.size() + i].fieldId = kMoreNvlinkErrors[i];
  if (library_->field_values(*device, static_cast<int>(fields.size()), fields.data()) != NVML_SUCCESS) return counters;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].nvmlReturn != NVML_SUCCESS) continue;
    if (i < wanted.size()) {
      *wanted[i].second = to_unsigned(fields[i]);
    } else {
      counters.nvlink_errors = counters.nvlink_errors.value_or(0) + to_unsigned(fields[i]);
    }
  }
  return counters;
}

Reading Nvml::reading(const std::string& uuid) const {
  Reading reading;
  const auto device = library_->device(uuid);
  if (!device) return reading;
  unsigned value = 0;
  if (library_->clock_info(*device, NVML_CLOCK_SM, &value) == NVML_SUCCESS) reading.sm_clock_mhz = value;
  if (library_->clock_info(*device, NVML_CLOCK_MEM, &value) == NVML_SUCCESS) reading.memory_clock_mhz = value;
  if (library_->temperature(*device, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS) reading.celsius = value;
  std::array<nvmlFieldValue_t, 2> fields{};
  fields[0].fieldId = NVML_FI_DEV_POWER_INSTANT;
  fields[1].fieldId = NVML_FI_DEV_MEMORY_TEMP;
  if (library_->field_values(*device, static_cast<int>(fields.size()), fields.data()) == NVML_SUCCESS) {
    if (fields[0].nvmlReturn == NVML_SUCCESS) reading.power_milliwatts = static_cast<unsigned>(to_unsigned(fields[0]));
    if (fields[1].nvmlReturn == NVML_SUCCESS && to_unsigned(fields[1]) > 0) {
      reading.memory_celsius = static_cast<unsigned>(to_unsigned(fields[1]));
    }
  }
  const auto optional = [&](nvmlReturn_t (*read)(nvmlDevice_t, unsigned*), std::optional<unsigned>& into) {
    if (read != nullptr && read(*device, &value) == NVML_SUCCESS) into = value;
  };
  optional(library_->pcie_generation, reading.pcie_generation);
  optional(library_->pcie_width, reading.pcie_width);
  unsigned long long limits = 0;
  if (library_->clock_limits != nullptr && library_->clock_limits(*device, &limits) == NVML_SUCCESS) reading.clock_limits = limits;
  return reading;
}

Occupancy Nvml::occupancy(const std::string& uuid) const {
  Occupancy occupancy;
  const auto device = library_->device(uuid);
  if (!device) return occupancy;
  occupancy.processes = library_->running(*device);
  if (!occupancy.processes) return occupancy;
  occupancy.used_bytes = library_->used_bytes(*device);
  if (const auto again = library_->running(*device)) merge(*occupancy.processes, *again);
  occupancy.at_work = library_->at_work(*device);
  return occupancy;
}

std::optional<unsigned> Nvml::busy_percent_at_rest(const std::string& uuid) const {
  constexpr std::size_t kSamples = 3;  // every 0.17 to 1 s one; the first may still cover what was before
  constexpr std::chrono::milliseconds kPause{50};
  constexpr int kMostPauses = 70;
  const auto device = library_->device(uuid);
  if (!device) return std::nullopt;
  const auto before = library_->utilisation(*device, 0);
  if (before.empty()) return std::nullopt;
  for (int i = 0; i < kMostPauses; ++i) {
    std::this_thread::sleep_for(kPause);
    const auto fresh = library_->utilisation(*device, before.back().first);
    if (fresh.size() < kSamples) continue;
    unsigned most = 0;
    for (std::size_t k = 1; k < fresh.size(); ++k) most = std::max(most, fresh[k].second);
    return most;
  }
  return std::nullopt;
}

}  // namespace assay::cuda
