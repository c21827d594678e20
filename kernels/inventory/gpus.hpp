// The GPUs of a node: what NVIDIA's management library says of them, and what follows from that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "inventory/facts.hpp"
#include "inventory/tree.hpp"

namespace assay::inventory {

struct Gpu {
  std::string pci;      // 0000:1b:00.0
  std::string uuid;     // GPU-...; empty where it does not answer
  std::string product;  // NVIDIA H200
  bool is_lost = false;
  std::optional<std::int64_t> pcie_width, pcie_width_max;
  std::optional<std::int64_t> nvlinks_up;  // nothing: it has none
  std::int64_t c2c_links = 0;              // to a processor in the same package
  std::optional<std::int64_t> power_limit_watts, power_limit_default_watts;
  // What may be wrong with it: false also where it lacks what could be.
  bool row_remap_failed = false;       // a broken row of memory could not be replaced
  bool memory_repair_pending = false;  // rows or pages are replaced at the next reset
  bool fabric_down = false;            // not registered with its NVSwitches
  bool fabric_degraded = false;
  bool ecc_off = false;
  std::vector<std::pair<std::string, Document::Value>> more;  // versions, settings, counts
};

struct GpuInventory {
  std::string driver;   // empty: none
  std::string cuda;     // the newest version that the driver can run
  std::string problem;  // why the library does not answer
  bool was_asked = true;
  std::vector<Gpu> gpus;
};

// Asks the library: gpus_nvml.cpp, or gpus_none.cpp in a build without CUDA.
GpuInventory read_gpus();

// Writes devices and facts into the document. The GPUs are named by their PCI addresses: gpu0 has the lowest.
void tell_gpus(const Tree& tree, GpuInventory inventory, Document& doc);

}  // namespace assay::inventory
