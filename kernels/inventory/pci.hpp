// Devices on the PCI bus, whether a driver has them or not. A pod sees those of the whole node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inventory/facts.hpp"
#include "inventory/tree.hpp"

namespace assay::inventory {

struct PciDevice {
  std::string address;  // 0000:1b:00.0
  std::int64_t vendor = 0;
  std::int64_t type = 0;  // class: 0x030200 is a 3D controller
  std::string driver;     // empty: none
};

// All devices but virtual functions, by address.
std::vector<PciDevice> pci_devices(const Tree& tree);

// NVIDIA's GPUs that are left to this machine: those handed on to virtual machines are not among them.
std::vector<std::string> gpu_addresses(const std::vector<PciDevice>& devices);
std::int64_t count_nvswitches(const std::vector<PciDevice>& devices);

// Whether this can be a link's number of lanes: a device without a link of its own, or that does not answer, says 0 or 255.
bool is_width(const std::optional<std::int64_t>& lanes);

// Adds facts about a device's link: its width, now and at most, and its speed. Says whether it has fewer lanes than the device and its slot
// could have.
bool add_link(const Tree& tree, const std::string& address, const std::string& prefix, Part& part);

// The domain of a device; nothing where the machine has none.
std::optional<std::int64_t> numa_node(const Tree& tree, const std::string& address);

}  // namespace assay::inventory
