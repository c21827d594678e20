#include "power/rest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace assay::power {
namespace {

constexpr double kWorkingClock = 0.5;     // of the highest: an idle GPU is far below, one that holds a context is at the top
constexpr double kBriefly = 0.1;          // of the looks: the driver's own housekeeping
constexpr double kMostBusyShare = 0.05;   // of the processors, by system services and this program

void measure(Document& doc, const std::string& name, const std::string& at, const std::vector<double>& watts) {
  if (!watts.empty()) doc.measurement(name, "W", Better::Lower).add(at, summarize(watts));
}

// "345,345": one value per GPU, "-" where there is none.
void readings(Document& doc, const std::string& name, const NodeAtRest& node, std::vector<double> GpuAtRest::*series) {
  std::string text;
  bool any = false;
  for (const auto& gpu : node.gpus) {
    const auto& samples = gpu.*series;
    text += (text.empty() ? "" : ",") + (samples.empty() ? "-" : std::to_string(std::lround(median(samples))));
    any = any || !samples.empty();
  }
  if (any) doc.parameter(name, text);
}

// GPUs together, look by look; nothing unless all of them tell.
std::vector<double> sum_of_gpus(const NodeAtRest& node) {
  std::vector<double> sum;
  for (const auto& gpu : node.gpus) {
    if (gpu.watts.empty()) return {};
    if (sum.empty()) sum.resize(gpu.watts.size());
    sum.resize(std::min(sum.size(), gpu.watts.size()));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gpu.watts[i];
  }
  return sum;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

}  // namespace

std::string disturbance(const GpuAtRest& gpu) {
  if (!gpu.holders.empty()) return gpu.name + ": " + gpu.holders;
  if (!gpu.max_mhz || gpu.mhz.empty()) return "";
  const double limit = kWorkingClock * *gpu.max_mhz;
  const auto above = std::count_if(gpu.mhz.begin(), gpu.mhz.end(), [&](double mhz) { return mhz > limit; });
  const double share = static_cast<double>(above) / static_cast<double>(gpu.mhz.size());
  if (share <= kBriefly) return "";
  return gpu.name + " ran at up to " + std::to_string(std::lround(best(gpu.mhz, Better::Higher))) + " of " + std::to_string(*gpu.max_mhz) +
         " MHz in " + percent(share) + " of the looks: it was not at rest, or its clocks are locked";
}

void report(const NodeAtRest& node, Document& doc) {
  for (std::size_t i = 0; i < node.gpus.size(); ++i) {
    const auto& gpu = node.gpus[i];
    doc.device(static_cast<int>(i), gpu.uuid, gpu.product);
    measure(doc, "gpuIdlePower", gpu.name, gpu.watts);
    if (gpu.is_persistent && !*gpu.is_persistent) {
      doc.note(gpu.name + " is not in persistence mode: reading its power wakes it, so that it uses more than when nobody looks");
    }
  }
  measure(doc, "gpusIdlePower", "node", sum_of_gpus(node));
  measure(doc, "cpuIdlePower", "node", node.cpu_watts);
  measure(doc, "nodeIdlePower", "node", node.node_watts);
  readings(doc, "smClockMHz", node, &GpuAtRest::mhz);
  readings(doc, "temperatureC", node, &GpuAtRest::celsius);
  std::string message;
  for (const auto& gpu : node.gpus) {
    const std::string why = disturbance(gpu);
    if (!why.empty()) message += (message.empty() ? "" : "; ") + why;
  }
  if (node.busy_share) {
    doc.parameter("processorsBusy", *node.busy_share);
    if (*node.busy_share > kMostBusyShare && !(node.cpu_watts.empty() && node.node_watts.empty())) {
      message += (message.empty() ? "" : "; ") + std::string("the processors were busy ") + percent(*node.busy_share) + " of the time";
    }
  }
  doc.check("undisturbed", message.empty(), message);
}

}  // namespace assay::power
