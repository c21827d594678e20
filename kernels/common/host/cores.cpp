#include "common/host/cores.hpp"

#include <algorithm>

#include "common/host/cgroup.hpp"
#include "common/host/topology.hpp"

namespace assay {

std::int64_t usable_cores() {
  const auto cores = static_cast<std::int64_t>(Topology().node().cpus.size());
  return std::max<std::int64_t>(1, std::min(cores, static_cast<std::int64_t>(cpu_quota().value_or(static_cast<double>(cores)))));
}

}  // namespace assay
