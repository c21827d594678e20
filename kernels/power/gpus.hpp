// The GPUs of a node at rest, as NVML shows them. No CUDA context is made: one would keep the clocks up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "power/rest.hpp"

namespace assay::power {

struct FoundGpus {
  std::vector<GpuAtRest> gpus;  // by PCI address
  std::string problem;          // why there are none to read
};

FoundGpus find_gpus();

// One more look at all of them: clocks, power, temperature. with_processes: also who is there, which takes longer.
void look(std::vector<GpuAtRest>& gpus, bool with_processes);

}  // namespace assay::power
