#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "inventory/facts.hpp"
#include "inventory/host.hpp"
#include "inventory/pci.hpp"

namespace assay::inventory {
namespace {

std::string firmware_of(const std::string& interface) {
  const int socket_fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (socket_fd < 0) return "";
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  ifreq request{};
  std::strncpy(request.ifr_name, interface.c_str(), IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&info);
  const bool known = ioctl(socket_fd, SIOCETHTOOL, &request) == 0;
  close(socket_fd);
  return known ? std::string(info.fw_version, strnlen(info.fw_version, sizeof info.fw_version)) : "";
}

std::vector<Part> interfaces(const Tree& tree) {
  std::vector<Part> parts;
  for (const std::string& name : tree.list("/sys/class/net")) {
    const std::string folder = "/sys/class/net/" + name;
    if (!tree.exists(folder + "/device") || tree.exists(folder + "/device/physfn")) continue;  // virtual, or a virtual function
    Part& part = parts.emplace_back(name);
    part.add("netState", tree.text(folder + "/operstate"));
    if (const auto megabits = tree.number(folder + "/speed"); megabits && *megabits > 0) {
      part.add("netGbps", static_cast<double>(*megabits) / 1000);
    }
    part.add("netMtu", tree.number(folder + "/mtu"));
    part.add("netDriver", tree.target(folder + "/device/driver"));
    if (tree.is_real()) part.add("netFirmware", firmware_of(name));
  }
  return parts;
}

// "4: ACTIVE" without its number.
std::string behind_colon(const std::string& text) {
  const auto colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

// The node's RDMA ports, and in active and firmware what all of them are together: ports of one node may be of several kinds.
std::vector<Part> rdma_ports(const Tree& tree, std::int64_t& active, std::vector<std::string>& firmware) {
  std::vector<Part> parts;
  for (const std::string& device : tree.list("/sys/class/infiniband")) {
    const std::string folder = "/sys/class/infiniband/" + device;
    if (tree.exists(folder + "/device/physfn")) continue;  // there may be a hundred virtual functions
    const auto ports = tree.list(folder + "/ports");
    const std::string version = tree.text(folder + "/fw_ver");
    const std::string board = tree.text(folder + "/board_id");
    if (!version.empty()) firmware.push_back(board.empty() ? version : board + " " + version);
    for (const std::string& port : ports) {
      Part& part = parts.emplace_back(ports.size() == 1 ? device : device + "/" + port);
      const std::string at = folder + "/ports/" + port;
      const std::string state = behind_colon(tree.text(at + "/state"));
      if (state == "ACTIVE") ++active;
      part.add("rdmaState", state);
      const double gigabits = std::strtod(tree.text(at + "/rate").c_str(), nullptr);  // "400 Gb/sec (4X NDR)"
      if (gigabits > 0) part.add("rdmaGbps", gigabits);
      part.add("rdmaLinkLayer", tree.text(at + "/link_layer"));
    }
  }
  return parts;
}

// Cards on the PCI bus, and how many of them have fewer lanes than they could have.
std::vector<Part> cards(const Tree& tree, std::int64_t& reduced) {
  std::vector<Part> parts;
  for (const PciDevice& device : pci_devices(tree)) {
    if (device.type >> 16 != 0x02) continue;
    Part part("nic" + std::to_string(parts.size()));
    if (add_link(tree, device.address, "nicLink", part)) ++reduced;
    part.add("nicDriver", device.driver);
    part.add("nicAddress", device.address);
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

void tell_network(const Tree& tree, Document& doc) {
  std::int64_t active = 0;
  std::vector<std::string> firmware;
  const auto ports = rdma_ports(tree, active, firmware);
  if (!ports.empty()) doc.fact("rdmaPortsActive", "", active);
  doc.fact("rdmaFirmware", "", bounded(distinct(firmware)));
  std::int64_t reduced = 0;
  const auto on_bus = cards(tree, reduced);
  doc.fact("nicLinksReduced", "", reduced);
  tell(ports, doc);
  tell(on_bus, doc);
  tell(interfaces(tree), doc);
}

}  // namespace assay::inventory
