// What inventory makes of a made-up machine's files, and of what NVML may answer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "inventory/gpus.hpp"
#include "inventory/host.hpp"

namespace assay::inventory {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Inventory : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay-inventory-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path, std::ios::binary) << text;
  }
  void link(const std::string& path, const std::string& target) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    fs::create_symlink(target, root_ + path);
  }
  // A device on the PCI bus.
  void pci(const std::string& address, const std::string& vendor, const std::string& type, const std::string& driver = "") {
    const std::string folder = "/sys/bus/pci/devices/" + address;
    write(folder + "/vendor", vendor + "\n");
    write(folder + "/class", type + "\n");
    if (!driver.empty()) link(folder + "/driver", "../../../../bus/pci/drivers/" + driver);
  }
  // The facts of a document, "name" or "name at part", with their values as JSON writes them.
  static std::map<std::string, std::string> facts(Document& doc) {
    std::ostringstream out;
    doc.finish(out);
    std::map<std::string, std::string> found;
    const Json parsed = Json::parse(out.str());
    for (const auto& fact : parsed.value("facts", Json::array())) {
      const std::string at = fact.value("at", "");
      found[fact["name"].get<std::string>() + (at.empty() ? "" : " at " + at)] = fact["value"].dump();
    }
    return found;
  }
  std::map<std::string, std::string> facts(void (*tell)(const Tree&, Document&)) {
    Document doc("inventory");
    tell(Tree(root_), doc);
    return facts(doc);
  }
  std::map<std::string, std::string> facts(const GpuInventory& inventory) {
    Document doc("inventory");
    tell_gpus(Tree(root_), inventory, doc);
    return facts(doc);
  }
  std::string root_;
};

using Facts = std::map<std::string, std::string>;

TEST_F(Inventory, AMachineWithoutFilesHasNoFaults) {
  EXPECT_EQ(facts(tell_processor), Facts());
  EXPECT_EQ(facts(tell_system), (Facts{{"memoryErrorsSeen", "false"}}));
  EXPECT_EQ(facts(tell_firmware), Facts());
  EXPECT_EQ(facts(tell_network), (Facts{{"nicLinksReduced", "0"}}));
}

TEST_F(Inventory, ProcessorOfTwoSocketsWithTwoThreadsPerCore) {
  std::string cpuinfo;
  for (int cpu = 0; cpu < 8; ++cpu) {
    cpuinfo += "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8480C\nmicrocode\t: 0x2b000603\n\n";
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
    write(folder + "/topology/physical_package_id", std::to_string(cpu / 2 % 2));
    write(folder + "/topology/core_id", std::to_string(cpu % 2));
    write(folder + "/cpufreq/scaling_governor", cpu < 7 ? "performance\n" : "powersave\n");
  }
  write("/sys/devices/system/cpu/cpu8/online", "0");  // switched off: it has no topology
  write("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_cpufreq\n");
  write("/sys/devices/system/cpu/smt/active", "1\n");
  write("/proc/cpuinfo", cpuinfo);
  write("/sys/devices/system/node/node0/meminfo", "");
  write("/sys/devices/system/node/node1/meminfo", "");
  write("/sys/devices/system/node/possible", "0-1");
  EXPECT_EQ(facts(tell_processor), (Facts{{"cpuModel", "\"Intel(R) Xeon(R) Platinum 8480C\""},
                                          {"microcode", "\"0x2b000603\""},
                                          {"sockets", "2"},
                                          {"cores", "4"},
                                          {"threads", "8"},
                                          {"smt", "true"},
                                          {"numaNodes", "2"},
                                          {"cpuGovernor", "\"performance 7, powersave 1\""},
                                          {"cpuFrequencyDriver", "\"intel_cpufreq\""},
                                          {"turbo", "false"}}));
}

TEST_F(Inventory, ProcessorsOfArmAreNamedByTheirNumbers) {
  write("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 0\n");
  EXPECT_EQ(facts(tell_processor)["cpuModel"], "\"implementer 0x41 part 0xd4f variant 0x0 revision 0\"");
}

TEST_F(Inventory, TurboOfIntelIsSaidTheOtherWayRound) {
  write("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(facts(tell_processor)["turbo"], "true");
}

TEST_F(Inventory, KernelMemoryAndWhatItWasBootedWith) {
  write("/proc/sys/kernel/osrelease", "6.8.0-60-generic\n");
  write("/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=UUID=1 ro iommu=pt nvidia.NVreg_X=1 mitigations=off quiet -- --init pci=x\n");
  write("/proc/sys/kernel/numa_balancing", "1\n");
  write("/proc/meminfo", "MemTotal:       65800000 kB\nMemFree: 1 kB\n");
  write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
  write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  EXPECT_EQ(facts(tell_system), (Facts{{"kernel", "\"6.8.0-60-generic\""},
                                       {"memoryGiB", "63.0"},
                                       {"memoryErrorsSeen", "false"},
                                       {"bootParameters", "\"iommu=pt nvidia.NVreg_X=1 mitigations=off\""},
                                       {"numaBalancing", "true"},
                                       {"hugePages2MiB", "512"},
                                       {"transparentHugePages", "\"madvise\""},
                                       {"clockSource", "\"hpet\""}}));
}

// What the kernel keeps for itself differs from node to node; what is installed does not.
TEST_F(Inventory, MemoryIsWhatIsInstalledWhereTheKernelSaysSo) {
  write("/proc/meminfo", "MemTotal:       65800000 kB\n");
  write("/sys/devices/system/memory/block_size_bytes", "80000000\n");  // hexadecimal
  for (int block = 0; block < 32; ++block) write("/sys/devices/system/memory/memory" + std::to_string(block) + "/online", "1");
  EXPECT_EQ(facts(tell_system)["memoryGiB"], "64.0");
}

TEST_F(Inventory, MemoryErrorsAreSummedOverItsControllers) {
  for (const std::string mc : {"mc0", "mc1"}) {
    write("/sys/devices/system/edac/mc/" + mc + "/ce_count", "3\n");
    write("/sys/devices/system/edac/mc/" + mc + "/ue_count", mc == "mc1" ? "1\n" : "0\n");
    write("/sys/devices/system/edac/mc/" + mc + "/dimm0/size", "65536\n");
    write("/sys/devices/system/edac/mc/" + mc + "/dimm1/size", "0\n");
  }
  const auto found = facts(tell_system);
  EXPECT_EQ(found.at("memoryErrorsCorrected"), "6");
  EXPECT_EQ(found.at("memoryErrorsUncorrected"), "1");
  EXPECT_EQ(found.at("memoryErrorsSeen"), "true");
  EXPECT_EQ(found.at("memoryModules"), "2");
}

// A text that was cut would hide what differs behind the cut.
TEST(InventoryText, TwoLongTextsThatDiffer) {
  const std::string begin(200, 'a');
  EXPECT_EQ(bounded(begin).size(), 128U);
  EXPECT_NE(bounded(begin + "1"), bounded(begin + "2"));
  EXPECT_EQ(bounded("short"), "short");
}

// A structure of SMBIOS: type, length, handle, the rest, and its texts.
std::string structure(int type, std::string rest) {
  return std::string{static_cast<char>(type), static_cast<char>(rest.size() + 4), 1, 0} + rest + "DIMM A1" + std::string(2, '\0');
}
std::string module(int size, int megatransfers) {
  std::string rest(0x24, '\0');
  rest[0x0c - 4] = static_cast<char>(size);
  rest[0x20 - 4] = static_cast<char>(megatransfers & 0xff);
  rest[0x21 - 4] = static_cast<char>(megatransfers >> 8);
  return structure(17, rest);
}

TEST_F(Inventory, FirmwareAndMemoryModules) {
  write("/sys/class/dmi/id/bios_version", "2.3.4\n");
  write("/sys/class/dmi/id/bios_date", "01/10/2025\n");
  write("/sys/class/dmi/id/product_name", "PowerEdge XE9680\n");
  write("/sys/firmware/dmi/tables/DMI", structure(0, std::string(20, '\1')) + module(64, 4800) + module(64, 4400) + module(0, 0) + "\x11\x60");
  EXPECT_EQ(facts(tell_firmware), (Facts{{"biosVersion", "\"2.3.4\""},
                                         {"biosDate", "\"01/10/2025\""},
                                         {"systemProduct", "\"PowerEdge XE9680\""},
                                         {"memorySpeedMTs", "4400"},
                                         {"memoryModules", "2"}}));
}

TEST_F(Inventory, NetworkCardsAndRdmaPorts) {
  pci("0000:1a:00.0", "0x15b3", "0x020700", "mlx5_core");
  write("/sys/bus/pci/devices/0000:1a:00.0/current_link_width", "8\n");
  write("/sys/bus/pci/devices/0000:1a:00.0/max_link_width", "16\n");
  write("/sys/bus/pci/devices/0000:1a:00.0/current_link_speed", "32.0 GT/s PCIe\n");
  pci("0000:1a:00.1", "0x15b3", "0x020700", "mlx5_core");
  link("/sys/bus/pci/devices/0000:1a:00.1/physfn", "../0000:1a:00.0");
  write("/sys/bus/pci/devices/0000:1a:00.0/vendor", "0x15b3");
  for (const std::string device : {"mlx5_0", "mlx5_1"}) {
    const std::string folder = "/sys/class/infiniband/" + device;
    write(folder + "/fw_ver", "28.39.3560\n");
    write(folder + "/board_id", "MT_0000000838\n");
    write(folder + "/ports/1/state", device == "mlx5_0" ? "4: ACTIVE\n" : "1: DOWN\n");
    write(folder + "/ports/1/rate", "400 Gb/sec (4X NDR)\n");
    write(folder + "/ports/1/link_layer", "InfiniBand\n");
  }
  write("/sys/class/infiniband/mlx5_2/device/physfn/vendor", "0x15b3");  // a virtual function
  write("/sys/class/infiniband/mlx5_2/ports/1/state", "1: DOWN\n");
  fs::create_directories(root_ + "/sys/class/net/lo");  // no device: virtual
  write("/sys/class/net/eth0/device/vendor", "0x15b3");
  link("/sys/class/net/eth0/device/driver", "../../bus/pci/drivers/mlx5_core");
  write("/sys/class/net/eth0/speed", "25000\n");
  write("/sys/class/net/eth0/operstate", "up\n");
  EXPECT_EQ(facts(tell_network), (Facts{{"rdmaPortsActive", "1"},
                                        {"rdmaFirmware", "\"MT_0000000838 28.39.3560\""},
                                        {"rdmaState at mlx5_0", "\"ACTIVE\""},
                                        {"rdmaState at mlx5_1", "\"DOWN\""},
                                        {"rdmaGbps at mlx5_0", "400.0"},
                                        {"rdmaGbps at mlx5_1", "400.0"},
                                        {"rdmaLinkLayer at mlx5_0", "\"InfiniBand\""},
                                        {"rdmaLinkLayer at mlx5_1", "\"InfiniBand\""},
                                        {"nicLinksReduced", "1"},
                                        {"nicLinkWidth at nic0", "8"},
                                        {"nicLinkWidthMax at nic0", "16"},
                                        {"nicLinkGTs at nic0", "32.0"},
                                        {"nicDriver at nic0", "\"mlx5_core\""},
                                        {"nicAddress at nic0", "\"0000:1a:00.0\""},
                                        {"netState at eth0", "\"up\""},
                                        {"netGbps at eth0", "25.0"},
                                        {"netDriver at eth0", "\"mlx5_core\""}}));
}

// A card of 16 lanes in a slot of 8 has all that it can have there.
TEST_F(Inventory, ANarrowSlotIsNoFault) {
  const std::string port = "/sys/devices/pci0000:00/0000:00:01.0";
  write(port + "/max_link_width", "8\n");
  write(port + "/0000:1a:00.0/class", "0x020700\n");
  write(port + "/0000:1a:00.0/current_link_width", "8\n");
  write(port + "/0000:1a:00.0/max_link_width", "16\n");
  link("/sys/bus/pci/devices/0000:1a:00.0", "../../../devices/pci0000:00/0000:00:01.0/0000:1a:00.0");
  EXPECT_EQ(facts(tell_network).at("nicLinksReduced"), "0");
  write(port + "/0000:1a:00.0/current_link_width", "4\n");
  EXPECT_EQ(facts(tell_network).at("nicLinksReduced"), "1");
}

Gpu h200(const std::string& pci, std::int64_t nvlinks = 18, std::int64_t width = 16) {
  Gpu gpu;
  gpu.pci = pci;
  gpu.uuid = "GPU-" + pci;
  gpu.product = "NVIDIA H200";
  gpu.pcie_width = width;
  gpu.pcie_width_max = 16;
  gpu.nvlinks_up = nvlinks;
  return gpu;
}

GpuInventory driver_with(std::vector<Gpu> gpus) {
  GpuInventory inventory;
  inventory.driver = "580.1";
  inventory.gpus = std::move(gpus);
  return inventory;
}

TEST_F(Inventory, WithoutGpusTheNodeHasNoneAndThatIsMeasured) {
  Document doc("inventory");
  tell_gpus(Tree(root_), {}, doc);
  std::ostringstream out;
  EXPECT_EQ(doc.finish(out), 0);
  EXPECT_NE(out.str().find(R"("parts":[{"at":"node","value":0.0)"), std::string::npos) << out.str();
}

TEST_F(Inventory, GpusAreNamedByTheirPciAddresses) {
  const auto found = facts(driver_with({h200("0000:9b:00.0"), h200("0000:1b:00.0", 17, 8)}));
  EXPECT_EQ(found.at("pciAddress at gpu0"), "\"0000:1b:00.0\"");
  EXPECT_EQ(found.at("pcieWidthReduced at gpu0"), "true");
  EXPECT_EQ(found.at("pcieWidthReduced at gpu1"), "false");
  EXPECT_EQ(found.at("nvlinksMissing at gpu0"), "1");
  EXPECT_EQ(found.at("nvlinksMissing at gpu1"), "0");
}

// A virtual GPU says 0, one that has just gone 255.
TEST_F(Inventory, AWidthThatIsNoneIsNotReduced) {
  const auto found = facts(driver_with({h200("0000:1b:00.0", 18, 0), h200("0000:9b:00.0", 18, 16)}));
  EXPECT_EQ(found.at("pcieWidthReduced at gpu0"), "false");
  Gpu gone = h200("0000:1b:00.0");
  gone.pcie_width_max = 255;
  EXPECT_EQ(facts(driver_with({gone})).at("pcieWidthReduced at gpu0"), "false");
}

TEST_F(Inventory, AGpuBesideItsProcessorNeedsNoPcie) {
  Gpu gpu = h200("0009:01:00.0", 18, 1);
  gpu.c2c_links = 10;
  const auto found = facts(driver_with({gpu}));
  EXPECT_EQ(found.at("c2cLinks at gpu0"), "10");
  EXPECT_EQ(found.at("pcieWidthReduced at gpu0"), "false");
}

// A Benchmark that asks for these finds them on every GPU that answers, whatever the GPU lacks.
TEST_F(Inventory, WhatMayBeWrongIsToldOfEveryGpu) {
  Gpu old;
  old.pci = "0000:1b:00.0";
  old.uuid = "GPU-1";
  Gpu broken = h200("0000:2b:00.0");
  broken.row_remap_failed = broken.memory_repair_pending = broken.fabric_down = broken.fabric_degraded = broken.ecc_off = true;
  const auto found = facts(driver_with({old, broken}));
  for (const std::string name : {"rowRemapFailed", "memoryRepairPending", "fabricDown", "fabricDegraded", "eccOff"}) {
    EXPECT_EQ(found.at(name + " at gpu0"), "false") << name;
    EXPECT_EQ(found.at(name + " at gpu1"), "true") << name;
  }
  EXPECT_EQ(found.at("pcieWidthReduced at gpu0"), "false");
  EXPECT_EQ(found.at("gpusUnseen"), "0");
}

TEST_F(Inventory, CardsWithoutBridgesMissNoNvlinks) {
  const auto found = facts(driver_with({h200("0000:1b:00.0", 0), h200("0000:9b:00.0", 12)}));
  EXPECT_EQ(found.at("nvlinksMissing at gpu0"), "0");
  EXPECT_EQ(found.at("nvlinksMissing at gpu1"), "0");
}

TEST_F(Inventory, GpusThatTheDriverDoesNotShowAreCounted) {
  pci("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  pci("0000:2b:00.0", "0x10de", "0x030200", "nvidia");
  pci("0000:3b:00.0", "0x10de", "0x030200", "vfio-pci");  // handed on to a virtual machine
  pci("0000:4b:00.0", "0x10de", "0x068000");              // an NVSwitch
  pci("0000:5b:00.0", "0x1a03", "0x030000", "ast");       // the board's own display
  const auto found = facts(driver_with({h200("0000:1b:00.0")}));
  EXPECT_EQ(found.at("gpusOnBus"), "2");
  EXPECT_EQ(found.at("gpusUnseen"), "1");
  EXPECT_EQ(found.at("nvswitches"), "1");
}

TEST_F(Inventory, SaysWhereXidErrorsAreNotSeen) {
  const GpuInventory one = driver_with({h200("0000:1b:00.0")});
  EXPECT_EQ(facts(one).count("xidErrorsVisible"), 0U) << "no GPU is on the bus";
  pci("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  EXPECT_EQ(facts(one).at("xidErrorsVisible"), "false");
  write("/dev/kmsg", "");
  EXPECT_EQ(facts(one).at("xidErrorsVisible"), "true");
}

TEST_F(Inventory, ALostGpuKeepsItsPlace) {
  for (const std::string address : {"0000:1b:00.0", "0000:2b:00.0", "0000:3b:00.0"}) pci(address, "0x10de", "0x030200", "nvidia");
  Gpu lost;
  lost.is_lost = true;
  const auto found = facts(driver_with({h200("0000:1b:00.0"), lost, h200("0000:3b:00.0")}));
  EXPECT_EQ(found.at("gpuLost at gpu1"), "true");
  EXPECT_EQ(found.at("pciAddress at gpu1"), "\"0000:2b:00.0\"");
  EXPECT_EQ(found.at("pciAddress at gpu2"), "\"0000:3b:00.0\"");
  EXPECT_EQ(found.count("rowRemapFailed at gpu1"), 0U);  // nobody knows
}

TEST_F(Inventory, ADriverThatDoesNotAnswerSaysWhyIfThereAreGpus) {
  GpuInventory inventory;
  inventory.problem = "Driver/library version mismatch";
  EXPECT_EQ(facts(inventory).count("driverProblem"), 0U);
  pci("0000:1b:00.0", "0x10de", "0x030200", "nvidia");
  const auto found = facts(inventory);
  EXPECT_EQ(found.at("driverProblem"), "\"Driver/library version mismatch\"");
  EXPECT_EQ(found.at("gpusOnBus"), "1");
}

}  // namespace
}  // namespace assay::inventory
