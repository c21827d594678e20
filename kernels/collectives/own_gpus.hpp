// Which GPUs a process of several takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/world.hpp"
#include "common/cuda/device.hpp"
#include "common/program.hpp"

namespace assay::collectives {

// One process takes the first `limit` GPUs (0: all); of several, each takes the one of its local rank, and leaves the others alone.
inline std::vector<cuda::Gpu> own_gpus(std::int64_t limit, const World& world) {
  if (!world.uses_mpi() || world.size() == 1) return cuda::open_gpus(limit);
  const int local_rank = world.local_rank();
  cuda::Gpu own;
  world.together([&] { own = cuda::open_gpu(local_rank % cuda::count_gpus(limit)); });
  const int ranks = world.ranks_with(own.uuid);
  world.together([&] {
    if (ranks > 1) throw CannotRun(std::to_string(ranks) + " ranks share " + own.uuid + ": start one rank per GPU");
  });
  return {own};
}

}  // namespace assay::collectives
