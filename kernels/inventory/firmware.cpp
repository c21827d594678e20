#include <algorithm>
#include <set>

#include "inventory/facts.hpp"
#include "inventory/host.hpp"

namespace assay::inventory {
namespace {

// What SMBIOS says of the memory modules in its structures of type 17.
struct Modules {
  std::int64_t count = 0;
  std::set<int> megatransfers;  // configured speeds
};

Modules read_modules(const std::string& table) {
  constexpr int kMemoryDevice = 17;
  Modules modules;
  const auto byte = [&](std::size_t at) { return static_cast<int>(static_cast<unsigned char>(table[at])); };
  const auto word = [&](std::size_t at) { return byte(at) | byte(at + 1) << 8; };
  std::size_t at = 0;
  while (at + 4 <= table.size()) {
    const std::size_t length = static_cast<std::size_t>(byte(at + 1));
    if (length < 4 || at + length > table.size()) break;
    if (byte(at) == kMemoryDevice && length >= 0x22 && word(at + 0x0c) != 0) {  // size 0: an empty slot
      ++modules.count;
      if (const int speed = word(at + 0x20); speed != 0 && speed != 0xffff) modules.megatransfers.insert(speed);
    }
    const auto end = table.find(std::string(2, '\0'), at + length);  // texts follow, up to two zeros
    if (end == std::string::npos) break;
    at = end + 2;
  }
  return modules;
}

}  // namespace

void tell_firmware(const Tree& tree, Document& doc) {
  const std::string folder = "/sys/class/dmi/id/";
  for (const auto& [name, file] : {std::pair("biosVersion", "bios_version"), std::pair("biosDate", "bios_date"),
                                   std::pair("biosVendor", "bios_vendor"), std::pair("systemVendor", "sys_vendor"),
                                   std::pair("systemProduct", "product_name"), std::pair("boardName", "board_name")}) {
    doc.fact(name, "", bounded(tree.text(folder + file)));
  }
  const Modules modules = read_modules(tree.bytes("/sys/firmware/dmi/tables/DMI"));
  if (modules.megatransfers.empty()) return;
  doc.fact("memorySpeedMTs", "", *modules.megatransfers.begin());  // the slowest sets the pace of its channel
  if (!tree.exists("/sys/devices/system/edac/mc/mc0")) doc.fact("memoryModules", "", modules.count);
}

}  // namespace assay::inventory
