#include "power/rapl.hpp"

#include <sstream>

namespace assay::power {
namespace {

const std::string kPowercap = "/sys/class/powercap/";
const std::string kHwmon = "/sys/class/hwmon/";

// "intel-rapl:0", on AMD's processors too; "intel-rapl:0:0" is a part of it.
bool is_zone(const std::string& name) {
  const std::string prefix = "intel-rapl:";
  return name.compare(0, prefix.size(), prefix) == 0 && name.find(':', prefix.size()) == std::string::npos;
}

}  // namespace

Rapl::Rapl(const inventory::Tree& tree) : tree_(tree) {
  for (const auto& name : tree.list(kPowercap)) {
    // A zone of another name is the whole board, which would count twice.
    if (!is_zone(name) || tree.text(kPowercap + name + "/name").compare(0, 8, "package-") != 0) continue;
    const auto range = tree.number(kPowercap + name + "/max_energy_range_uj");
    if (range) zones_.push_back({kPowercap + name + "/energy_uj", *range, std::nullopt});
  }
  if (zones_.empty()) {
    problem_ = "there is no RAPL in /sys/class/powercap";
  } else if (!tree.number(zones_.front().counter)) {
    problem_ = zones_.front().counter + " cannot be read: only root may";
  }
}

std::optional<double> Rapl::advance() {
  double microjoules = 0;
  bool is_complete = !zones_.empty();
  for (auto& zone : zones_) {
    const auto now = tree_.number(zone.counter);
    if (now && zone.last) {
      microjoules += static_cast<double>(*now - *zone.last + (*now < *zone.last ? zone.range : 0));
    } else {
      is_complete = false;
    }
    zone.last = now;
  }
  if (!is_complete) return std::nullopt;
  return microjoules * 1e-6;
}

std::optional<double> node_watts(const inventory::Tree& tree) {
  for (const auto& chip : tree.list(kHwmon)) {
    if (tree.text(kHwmon + chip + "/name") != "power_meter") continue;
    if (const auto microwatts = tree.number(kHwmon + chip + "/power1_average")) return static_cast<double>(*microwatts) * 1e-6;
  }
  return std::nullopt;
}

std::optional<ProcessorTime> processor_time(const inventory::Tree& tree) {
  std::istringstream line(tree.text("/proc/stat"));
  std::string word;
  if (!(line >> word) || word != "cpu") return std::nullopt;
  // user nice system idle iowait irq softirq steal; guests are in user and nice already
  ProcessorTime time;
  double ticks = 0;
  for (int column = 0; column < 8 && line >> ticks; ++column) {
    time.all += ticks;
    if (column != 3 && column != 4) time.busy += ticks;
  }
  if (time.all <= 0) return std::nullopt;
  return time;
}

}  // namespace assay::power
