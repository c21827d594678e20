// Which rank of mdrun works on which GPU. Pure: numbers in, arguments out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::gromacs {

struct Placement {
  std::int64_t ranks = 1;
  std::int64_t pme_ranks = 0;  // that do nothing but PME
  std::int64_t threads = 1;    // of each rank
  std::string tasks;           // the GPU of each rank, "0,0,1,1"; empty: all on the first
};

// On one GPU a single rank does everything. Over several, one rank does PME for all, because no release before 2023 divides it among GPUs,
// and the others share the space. `ranks_per_gpu` above 1 puts forces beside PME on the last GPU;
// 0: 1 on a single GPU, 2 on several. Where mdrun refuses so many ranks, there are fewer, first on the last GPU; every GPU keeps one.
Placement place(std::int64_t gpus, std::int64_t processors, std::int64_t ranks_per_gpu);

// All of the work on GPUs, and what ranks exchange straight from one to the other.
std::vector<std::string> arguments(const Placement& placement);
std::map<std::string, std::string> environment(const Placement& placement);

}  // namespace assay::gromacs
