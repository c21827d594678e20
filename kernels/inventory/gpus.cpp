#include "inventory/gpus.hpp"

#include <algorithm>

#include "inventory/pci.hpp"

namespace assay::inventory {
namespace {

// How many NVLinks fewer than the best GPU of its product in this node. 0 for a GPU without any that is up: cards without bridges have none,
// and what a board with switches reaches is measured.
std::int64_t nvlinks_missing(const Gpu& gpu, const std::vector<Gpu>& all) {
  if (gpu.nvlinks_up.value_or(0) == 0) return 0;
  std::int64_t most = 0;
  for (const Gpu& other : all) {
    if (other.product == gpu.product) most = std::max(most, other.nvlinks_up.value_or(0));
  }
  return most - *gpu.nvlinks_up;
}

// PCIe is not the way to the host of a GPU with links to its processor, and a virtual GPU may have no link of its own.
bool pcie_width_reduced(const Gpu& gpu) {
  return gpu.c2c_links == 0 && is_width(gpu.pcie_width) && is_width(gpu.pcie_width_max) && *gpu.pcie_width < *gpu.pcie_width_max;
}

Part part_of(const Tree& tree, const Gpu& gpu, int index, const std::vector<Gpu>& all) {
  Part part("gpu" + std::to_string(index));
  part.add("gpuLost", gpu.is_lost);
  if (gpu.is_lost) {
    part.add("pciAddress", gpu.pci);
    return part;
  }
  part.add("rowRemapFailed", gpu.row_remap_failed);
  part.add("fabricDown", gpu.fabric_down);
  part.add("fabricDegraded", gpu.fabric_degraded);
  part.add("pcieWidthReduced", pcie_width_reduced(gpu));
  part.add("nvlinksMissing", nvlinks_missing(gpu, all));
  part.add("memoryRepairPending", gpu.memory_repair_pending);
  part.add("eccOff", gpu.ecc_off);
  part.add("gpuModel", gpu.product);
  part.add("nvlinksUp", gpu.nvlinks_up);
  if (gpu.c2c_links > 0) part.add("c2cLinks", gpu.c2c_links);
  part.add("powerLimitW", gpu.power_limit_watts);
  for (const auto& [name, value] : gpu.more) part.add(name, value);
  part.add("pcieWidth", gpu.pcie_width);
  part.add("pcieWidthMax", gpu.pcie_width_max);
  part.add("powerLimitDefaultW", gpu.power_limit_default_watts);
  part.add("gpuNumaNode", numa_node(tree, gpu.pci));
  part.add("pciAddress", gpu.pci);
  return part;
}

// A lost GPU may not even tell its address: it has one of those on the bus that no other has.
void find_lost(std::vector<Gpu>& gpus, const std::vector<std::string>& on_bus) {
  for (const std::string& address : on_bus) {
    if (std::any_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.pci == address; })) continue;
    const auto lost = std::find_if(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.pci.empty(); });
    if (lost != gpus.end()) lost->pci = address;
  }
}

}  // namespace

void tell_gpus(const Tree& tree, GpuInventory inventory, Document& doc) {
  auto& gpus = inventory.gpus;
  const auto devices = pci_devices(tree);
  const auto on_bus = gpu_addresses(devices);
  find_lost(gpus, on_bus);
  std::sort(gpus.begin(), gpus.end(), [](const Gpu& a, const Gpu& b) { return a.pci < b.pci; });
  doc.measurement("devices", "devices", Better::Higher).add("node", {static_cast<double>(gpus.size()), 1, 0});
  if (inventory.was_asked) doc.fact("gpusUnseen", "", on_bus.size() - std::min(gpus.size(), on_bus.size()));
  doc.fact("gpusOnBus", "", on_bus.size());
  if (!on_bus.empty()) doc.fact("xidErrorsVisible", "", tree.readable("/dev/kmsg"));  // the driver tells of them there
  doc.fact("nvswitches", "", count_nvswitches(devices));
  doc.fact("driver", "", inventory.driver);
  if (!inventory.problem.empty() && !on_bus.empty()) {
    doc.fact("driverProblem", "", bounded(inventory.problem));
    doc.note("there are GPUs on the PCI bus, but NVML does not answer: " + inventory.problem);
  }
  doc.fact("cudaVersion", "", inventory.cuda);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const int index = static_cast<int>(i);
    if (!gpus[i].is_lost) doc.device(index, gpus[i].uuid, gpus[i].product);
    parts.push_back(part_of(tree, gpus[i], index, gpus));
  }
  tell(parts, doc);
}

}  // namespace assay::inventory
