// NVIDIA's management library, loaded when the program runs: where it is missing, every reading is simply absent.
// It only ever reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/cuda/counters.hpp"
#include "common/cuda/neighbours.hpp"

namespace assay::cuda {

class Nvml {
 public:
  static Nvml& instance();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool is_available() const;
  std::string driver_version() const;  // empty when unknown

  // uuid: as in Gpu::uuid.
  Counters counters(const std::string& uuid) const;
  Reading reading(const std::string& uuid) const;
  Occupancy occupancy(const std::string& uuid) const;

  // How busy the GPU is, in percent, over about half a second from now. It waits for that; the caller must let the GPU rest.
  std::optional<unsigned> busy_percent_at_rest(const std::string& uuid) const;

 private:
  Nvml();
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace assay::cuda
