#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "inventory/facts.hpp"
#include "inventory/host.hpp"

namespace assay::inventory {
namespace {

const std::string kCpus = "/sys/devices/system/cpu";

// The values of one key of /proc/cpuinfo, one for each processor.
std::vector<std::string> values_of(const std::string& cpuinfo, const std::string& key) {
  std::vector<std::string> values;
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1) != key) continue;
    const auto first = line.find_first_not_of(" \t", colon + 1);
    if (first != std::string::npos) values.push_back(line.substr(first));
  }
  return values;
}

std::string model(const std::string& cpuinfo) {
  const std::string name = distinct(values_of(cpuinfo, "model name"));
  if (!name.empty()) return name;
  const std::string part = distinct(values_of(cpuinfo, "CPU part"));  // Arm gives numbers
  if (part.empty()) return "";
  return "implementer " + distinct(values_of(cpuinfo, "CPU implementer")) + " part " + part + " variant " +
         distinct(values_of(cpuinfo, "CPU variant")) + " revision " + distinct(values_of(cpuinfo, "CPU revision"));
}

// "performance", or where they differ "performance 110, powersave 2", the most frequent first.
std::string governor(const Tree& tree, const std::vector<int>& cpus) {
  std::map<std::string, int> counts;
  for (const int cpu : cpus) {
    const std::string name = tree.text(kCpus + "/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor");
    if (!name.empty()) ++counts[name];
  }
  if (counts.size() <= 1) return counts.empty() ? "" : counts.begin()->first;
  std::set<std::pair<int, std::string>> by_count;
  for (const auto& [name, count] : counts) by_count.emplace(-count, name);
  std::string text;
  for (const auto& [count, name] : by_count) text += (text.empty() ? "" : ", ") + name + " " + std::to_string(-count);
  return text;
}

void tell_cores(const Tree& tree, const std::vector<int>& cpus, Document& doc) {
  std::set<std::int64_t> sockets;
  std::set<std::pair<std::int64_t, std::int64_t>> cores;
  std::int64_t threads = 0;
  for (const int cpu : cpus) {
    const std::string topology = kCpus + "/cpu" + std::to_string(cpu) + "/topology/";
    const auto socket = tree.number(topology + "physical_package_id");
    const auto core = tree.number(topology + "core_id");
    if (!socket || !core) continue;  // switched off
    sockets.insert(*socket);
    cores.emplace(*socket, *core);
    ++threads;
  }
  if (threads == 0) return;
  doc.fact("sockets", "", sockets.size());
  doc.fact("cores", "", cores.size());
  doc.measurement("processorCores", "cores", Better::Higher).add("node", {static_cast<double>(cores.size()), 1, 0});
  doc.fact("threads", "", threads);
}

}  // namespace

void tell_processor(const Tree& tree, Document& doc) {
  const std::vector<int> cpus = tree.numbered(kCpus, "cpu");
  const std::string cpuinfo = tree.text("/proc/cpuinfo");
  doc.fact("cpuModel", "", bounded(model(cpuinfo)));
  doc.fact("microcode", "", bounded(distinct(values_of(cpuinfo, "microcode"))));
  tell_cores(tree, cpus, doc);
  if (const auto active = tree.number(kCpus + "/smt/active")) doc.fact("smt", "", *active != 0);
  const auto domains = tree.numbered("/sys/devices/system/node", "node");
  if (!domains.empty()) doc.fact("numaNodes", "", domains.size());
  doc.fact("cpuGovernor", "", bounded(governor(tree, cpus)));
  doc.fact("cpuFrequencyDriver", "", tree.text(kCpus + "/cpu0/cpufreq/scaling_driver"));
  if (const auto off = tree.number(kCpus + "/intel_pstate/no_turbo")) {
    doc.fact("turbo", "", *off == 0);
  } else if (const auto boost = tree.number(kCpus + "/cpufreq/boost")) {
    doc.fact("turbo", "", *boost != 0);
  }
}

}  // namespace assay::inventory
