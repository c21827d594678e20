// What a node at rest used, and whether it was at rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/document.hpp"

namespace assay::power {

// One sample of each series for each look. A series is empty where nothing can be read.
struct GpuAtRest {
  std::string name;  // gpu0
  std::string pci, uuid, product;
  std::optional<unsigned> max_mhz;
  std::optional<bool> is_persistent;  // false: the driver is unloaded while nobody uses the GPU, and reading wakes it
  std::vector<double> watts, mhz, celsius;
  std::string holders;  // who held its memory; empty: nobody
};

struct NodeAtRest {
  std::vector<GpuAtRest> gpus;
  std::vector<double> cpu_watts, node_watts;
  std::optional<double> busy_share;  // of all processors' time
};

// Measurements, parameters and the check `undisturbed`.
void report(const NodeAtRest& node, Document& doc);

// Why this GPU was not at rest; empty where it was.
std::string disturbance(const GpuAtRest& gpu);

}  // namespace assay::power
