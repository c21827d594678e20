#include "gromacs-gpu/placement.hpp"

#include <algorithm>

#include "gromacs/ranks.hpp"

namespace assay::gromacs {
namespace {

constexpr std::int64_t kMostThreads = 64;  // a build of mdrun takes so many of one rank at least; what is left to them is little

}  // namespace

Placement place(std::int64_t gpus, std::int64_t processors, std::int64_t ranks_per_gpu) {
  if (ranks_per_gpu == 0) ranks_per_gpu = gpus > 1 ? 2 : 1;
  std::int64_t forces = std::max<std::int64_t>(1, gpus * ranks_per_gpu - 1);
  while (forces >= gpus && !may_share_forces(forces)) --forces;
  Placement placement;
  placement.pme_ranks = gpus * ranks_per_gpu > 1 ? 1 : 0;
  placement.ranks = forces + placement.pme_ranks;
  placement.threads = std::clamp<std::int64_t>(processors / placement.ranks, 1, kMostThreads);
  if (placement.ranks == 1) return placement;
  const bool last_has_forces = forces > (gpus - 1) * ranks_per_gpu;
  for (std::int64_t rank = 0; rank < forces; ++rank) {
    placement.tasks += std::to_string(last_has_forces ? rank / ranks_per_gpu : rank * (gpus - 1) / forces) + ",";
  }
  placement.tasks += std::to_string(gpus - 1);  // the last rank is the one with PME
  return placement;
}

std::vector<std::string> arguments(const Placement& placement) {
  std::vector<std::string> all = {"-nb", "gpu", "-pme", "gpu", "-update", "gpu", "-ntmpi", std::to_string(placement.ranks),
                                  "-ntomp", std::to_string(placement.threads)};
  const auto add = [&](const char* option, const std::string& value) { all.insert(all.end(), {option, value}); };
  if (placement.pme_ranks > 0) add("-npme", std::to_string(placement.pme_ranks));
  if (placement.tasks.empty()) {
    add("-gpu_id", "0");
  } else {
    add("-gputasks", placement.tasks);
  }
  return all;
}

std::map<std::string, std::string> environment(const Placement& placement) {
  if (placement.ranks == 1) return {};
  return {{"GMX_ENABLE_DIRECT_GPU_COMM", "1"}};
}

}  // namespace assay::gromacs
