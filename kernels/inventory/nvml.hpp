// NVIDIA's management library as inventory asks it: any function by its name, and nothing where driver or GPU do not know it. It only reads,
// and needs no CUDA context.
#pragma once

#include <dlfcn.h>
#include <nvml.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace assay::inventory {

class NvmlLibrary {
 public:
  NvmlLibrary();
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  bool is_ready() const { return ready_; }
  // Why it is not ready.
  const std::string& problem() const { return problem_; }

  // Null where the driver is too old for it.
  template <typename Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(dlsym(handle_, name));
  }
  // Calls function(before..., value): NVML gives its answer in the last argument.
  template <typename Value, typename... Before>
  nvmlReturn_t call(const char* function, Value* value, Before... before) const {
    const auto found = find<nvmlReturn_t (*)(Before..., Value*)>(function);
    return found == nullptr ? NVML_ERROR_FUNCTION_NOT_FOUND : found(before..., value);
  }
  template <typename Value, typename... Before>
  std::optional<Value> ask(const char* function, Before... before) const {
    Value value{};
    if (call(function, &value, before...) != NVML_SUCCESS) return std::nullopt;
    return value;
  }
  // Two answers of one function, for example the mode now and after the next reset.
  template <typename Value>
  std::optional<std::pair<Value, Value>> ask_both(const char* function, nvmlDevice_t device) const {
    const auto found = find<nvmlReturn_t (*)(nvmlDevice_t, Value*, Value*)>(function);
    std::pair<Value, Value> values{};
    if (found == nullptr || found(device, &values.first, &values.second) != NVML_SUCCESS) return std::nullopt;
    return values;
  }
  // Reads a text, which stays as it is where it is not known. Before: the device, or nothing for the system's.
  template <typename... Before>
  nvmlReturn_t read_text(std::string& into, const char* function, Before... before) const {
    const auto found = find<nvmlReturn_t (*)(Before..., char*, unsigned)>(function);
    std::array<char, 97> text{};
    const nvmlReturn_t code = found == nullptr ? NVML_ERROR_FUNCTION_NOT_FOUND : found(before..., text.data(), text.size() - 1);
    if (code == NVML_SUCCESS) into = text.data();
    return code;
  }
  // The same; empty where it is not known.
  template <typename... Before>
  std::string text(const char* function, Before... before) const {
    std::string text;
    read_text(text, function, before...);
    return text;
  }
  // A field, of one link or the like where scope says which.
  std::optional<std::int64_t> field(nvmlDevice_t device, unsigned id, unsigned scope = 0) const;

 private:
  void* handle_ = nullptr;
  bool ready_ = false;
  std::string problem_;
};

}  // namespace assay::inventory
