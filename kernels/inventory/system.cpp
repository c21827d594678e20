#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "inventory/facts.hpp"
#include "inventory/host.hpp"

namespace assay::inventory {
namespace {

// Boot parameters that move what benchmarks measure, or what the node does with its devices; a trailing dot takes in all of a module's.
// What tells nodes apart anyway (root=, ip=, BOOT_IMAGE=) is none of them.
constexpr const char* kTelling[] = {
    "acpi", "amd_iommu", "amd_pstate", "apic", "audit", "clocksource", "cpufreq.", "crashkernel", "default_hugepagesz", "hugepages",
    "hugepagesz", "idle", "init_on_alloc", "init_on_free", "intel_idle.", "intel_iommu", "intel_pstate", "iommu", "iommu.", "irqaffinity",
    "isolcpus", "kpti", "kvm.", "maxcpus", "mem", "memmap", "memory_corruption_check", "mitigations", "mlx5_core.", "mce", "nmi_watchdog",
    "noht", "nohz", "nohz_full", "noibrs", "nopti", "nosmt", "nospectre_v1", "nospectre_v2", "nouveau.", "nowatchdog", "nr_cpus", "numa",
    "numa_balancing", "nvidia.", "nvidia-drm.", "pci", "pcie_aspm", "pcie_ports", "preempt", "processor.", "psi", "pti", "rcu_nocbs",
    "skew_tick", "spec_store_bypass_disable", "transparent_hugepage", "tsc", "tsx"};

bool is_telling(const std::string& parameter) {
  const std::string name = parameter.substr(0, parameter.find('='));
  return std::any_of(std::begin(kTelling), std::end(kTelling), [&](const std::string& known) {
    return known.back() == '.' ? name.compare(0, known.size(), known) == 0 : name == known;
  });
}

// Those that matter, as they stand there. What follows "--" is for the first process.
std::string boot_parameters(const Tree& tree) {
  std::istringstream words(tree.text("/proc/cmdline"));
  std::string text;
  for (std::string word; words >> word && word != "--";) {
    if (is_telling(word)) text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

// One line of /proc/meminfo, in KiB.
std::int64_t meminfo(const Tree& tree, const std::string& key) {
  std::istringstream lines(tree.text("/proc/meminfo"));
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, key.size() + 1, key + ":") == 0) return std::strtoll(line.c_str() + key.size() + 1, nullptr, 10);
  }
  return 0;
}

// What is installed, by the kernel's blocks of memory: what the kernel reserves for itself, which differs from boot to boot, counts too.
// Where it keeps no blocks: what it may use.
double memory_gib(const Tree& tree) {
  constexpr double kGiB = 1 << 30;
  const std::string folder = "/sys/devices/system/memory";
  const std::int64_t block = std::strtoll(tree.text(folder + "/block_size_bytes").c_str(), nullptr, 16);
  const auto blocks = tree.numbered(folder, "memory").size();
  if (block > 0 && blocks > 0) return static_cast<double>(block) / kGiB * static_cast<double>(blocks);
  return std::round(static_cast<double>(meminfo(tree, "MemTotal")) * 1024 / kGiB);
}

// Memory modules and errors since boot, as the kernel's EDAC driver counts them. It is missing in virtual machines: there no error was seen.
void tell_memory_errors(const Tree& tree, Document& doc) {
  const std::string folder = "/sys/devices/system/edac/mc";
  std::int64_t modules = 0, corrected = 0, uncorrected = 0;
  const auto controllers = tree.numbered(folder, "mc");
  for (const int controller : controllers) {
    const std::string mc = folder + "/mc" + std::to_string(controller);
    corrected += tree.number(mc + "/ce_count").value_or(0);
    uncorrected += tree.number(mc + "/ue_count").value_or(0);
    for (const int dimm : tree.numbered(mc, "dimm")) {
      if (tree.number(mc + "/dimm" + std::to_string(dimm) + "/size").value_or(0) > 0) ++modules;
    }
  }
  doc.fact("memoryErrorsSeen", "", uncorrected > 0);
  if (controllers.empty()) return;
  doc.fact("memoryErrorsUncorrected", "", uncorrected);
  doc.fact("memoryErrorsCorrected", "", corrected);
  if (modules > 0) doc.fact("memoryModules", "", modules);
}

void tell_huge_pages(const Tree& tree, Document& doc) {
  for (const auto& [name, folder] : {std::pair("hugePages2MiB", "hugepages-2048kB"), std::pair("hugePages512MiB", "hugepages-524288kB"),
                                     std::pair("hugePages1GiB", "hugepages-1048576kB")}) {
    const auto count = tree.number(std::string("/sys/kernel/mm/hugepages/") + folder + "/nr_hugepages");
    if (count) doc.fact(name, "", *count);
  }
  const std::string modes = tree.text("/sys/kernel/mm/transparent_hugepage/enabled");  // always [madvise] never
  const auto open = modes.find('['), close = modes.find(']');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    doc.fact("transparentHugePages", "", modes.substr(open + 1, close - open - 1));
  }
}

}  // namespace

void tell_system(const Tree& tree, Document& doc) {
  doc.fact("kernel", "", tree.text("/proc/sys/kernel/osrelease"));
  if (const double gib = memory_gib(tree); gib > 0) doc.fact("memoryGiB", "", gib);
  tell_memory_errors(tree, doc);
  doc.fact("bootParameters", "", bounded(boot_parameters(tree)));
  tell_huge_pages(tree, doc);
  if (const auto mode = tree.number("/proc/sys/kernel/numa_balancing")) doc.fact("numaBalancing", "", *mode != 0);
  doc.fact("clockSource", "", tree.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
}

}  // namespace assay::inventory
