#include "common/cuda/nvml.hpp"

#include <dlfcn.h>
#include <nvml.h>

#include <array>
#include <map>

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

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  nvmlReturn_t (*init)() = nullptr;
  nvmlReturn_t (*shutdown)() = nullptr;
  nvmlReturn_t (*driver_version)(char*, unsigned) = nullptr;
  nvmlReturn_t (*handle_by_uuid)(const char*, nvmlDevice_t*) = nullptr;
  nvmlReturn_t (*field_values)(nvmlDevice_t, int, nvmlFieldValue_t*) = nullptr;
  nvmlReturn_t (*clock_info)(nvmlDevice_t, nvmlClockType_t, unsigned*) = nullptr;
  nvmlReturn_t (*temperature)(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned*) = nullptr;
  bool ready = false;

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
  nvmlFieldValue_t power{};
  power.fieldId = NVML_FI_DEV_POWER_INSTANT;
  if (library_->field_values(*device, 1, &power) == NVML_SUCCESS && power.nvmlReturn == NVML_SUCCESS) {
    reading.power_milliwatts = static_cast<unsigned>(to_unsigned(power));
  }
  return reading;
}

}  // namespace assay::cuda
