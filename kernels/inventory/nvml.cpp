#include "inventory/nvml.hpp"

namespace assay::inventory {

NvmlLibrary::NvmlLibrary() {
  handle_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    problem_ = "libnvidia-ml.so.1 cannot be loaded";
    return;
  }
  const auto init = find<nvmlReturn_t (*)()>("nvmlInit_v2");
  const auto explain = find<const char* (*)(nvmlReturn_t)>("nvmlErrorString");
  const nvmlReturn_t code = init == nullptr ? NVML_ERROR_FUNCTION_NOT_FOUND : init();
  ready_ = code == NVML_SUCCESS;
  if (!ready_) problem_ = explain == nullptr ? "NVML error " + std::to_string(code) : explain(code);
}

NvmlLibrary::~NvmlLibrary() {
  if (handle_ == nullptr) return;
  const auto shutdown = find<nvmlReturn_t (*)()>("nvmlShutdown");
  if (ready_ && shutdown != nullptr) shutdown();
  dlclose(handle_);
}

std::optional<std::int64_t> NvmlLibrary::field(nvmlDevice_t device, unsigned id, unsigned scope) const {
  nvmlFieldValue_t field{};
  field.fieldId = id;
  field.scopeId = scope;
  const auto read = find<nvmlReturn_t (*)(nvmlDevice_t, int, nvmlFieldValue_t*)>("nvmlDeviceGetFieldValues");
  if (read == nullptr || read(device, 1, &field) != NVML_SUCCESS || field.nvmlReturn != NVML_SUCCESS) return std::nullopt;
  switch (field.valueType) {
    case NVML_VALUE_TYPE_DOUBLE: return static_cast<std::int64_t>(field.value.dVal);
    case NVML_VALUE_TYPE_UNSIGNED_INT: return field.value.uiVal;
    case NVML_VALUE_TYPE_UNSIGNED_LONG: return static_cast<std::int64_t>(field.value.ulVal);
    case NVML_VALUE_TYPE_SIGNED_LONG_LONG: return field.value.sllVal;
    default: return static_cast<std::int64_t>(field.value.ullVal);
  }
}

}  // namespace assay::inventory
