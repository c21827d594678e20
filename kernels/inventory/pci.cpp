#include "inventory/pci.hpp"

#include <algorithm>
#include <cstdlib>

namespace assay::inventory {
namespace {

const std::string kDevices = "/sys/bus/pci/devices/";
constexpr std::int64_t kNvidia = 0x10de;

}  // namespace

std::vector<PciDevice> pci_devices(const Tree& tree) {
  std::vector<PciDevice> devices;
  for (const std::string& address : tree.list(kDevices)) {
    const std::string folder = kDevices + address;
    if (tree.exists(folder + "/physfn")) continue;  // a virtual function
    devices.push_back({address, tree.number(folder + "/vendor").value_or(0), tree.number(folder + "/class").value_or(0),
                       tree.target(folder + "/driver")});
  }
  return devices;
}

std::vector<std::string> gpu_addresses(const std::vector<PciDevice>& devices) {
  std::vector<std::string> addresses;
  for (const PciDevice& device : devices) {
    const bool is_display = device.type >> 8 == 0x0300 || device.type >> 8 == 0x0302;
    if (device.vendor == kNvidia && is_display && device.driver != "vfio-pci") addresses.push_back(device.address);
  }
  return addresses;
}

std::int64_t count_nvswitches(const std::vector<PciDevice>& devices) {
  return std::count_if(devices.begin(), devices.end(),
                       [](const PciDevice& device) { return device.vendor == kNvidia && device.type >> 8 == 0x0680; });
}

bool is_width(const std::optional<std::int64_t>& lanes) { return lanes && *lanes > 0 && *lanes <= 32; }

bool add_link(const Tree& tree, const std::string& address, const std::string& prefix, Part& part) {
  const std::string folder = kDevices + address;
  const auto width = tree.number(folder + "/current_link_width");
  const auto most = tree.number(folder + "/max_link_width");
  if (!is_width(width) || !is_width(most)) return false;
  part.add(prefix + "Width", width);
  part.add(prefix + "WidthMax", most);
  const double speed = std::strtod(tree.text(folder + "/current_link_speed").c_str(), nullptr);  // "16.0 GT/s PCIe"
  if (speed > 0) part.add(prefix + "GTs", speed);
  const auto slot = tree.number(folder + "/../max_link_width");  // the folder is a link: its parent is the port that the device is at
  return *width < (is_width(slot) ? std::min(*most, *slot) : *most);
}

std::optional<std::int64_t> numa_node(const Tree& tree, const std::string& address) {
  const auto node = tree.number(kDevices + address + "/numa_node");
  if (!node || *node < 0) return std::nullopt;
  return node;
}

}  // namespace assay::inventory
