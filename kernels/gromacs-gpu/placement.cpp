#include "gromacs-gpu/placement.hpp"

#include <algorithm>

namespace assay::gromacs {
namespace {

constexpr std::int64_t kMostThreads = 64;  // a build of mdrun takes so many of one rank at least; what is left to them is little

}  // namespace

Placement place(std::int64_t gpus, std::int64_t processors, std::int64_t ranks_per_gpu) {
  if (ranks_per_gpu == 0) ranks_per_gpu = gpus > 1 ? 2 : 1;
  Placement placement;
  placement.ranks = gpus * ranks_per_gpu;
  placement.threads = std::clamp<std::int64_t>(processors / placement.ranks, 1, kMostThreads);
  if (placement.ranks == 1) return placement;
  placement.pme_ranks = 1;
  for (std::int64_t rank = 0; rank < placement.ranks; ++rank) {
    placement.tasks += (rank > 0 ? "," : "") + std::to_string(rank / ranks_per_gpu);  // the last rank is the one with PME
  }
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
