#include "common/host/pinning.hpp"

#include <omp.h>

#include <stdexcept>

namespace assay {

void pin_team(const Topology& topology, const Place& place) {
  const int wanted = static_cast<int>(place.cpus.size());
  omp_set_dynamic(0);
  omp_set_num_threads(wanted);
  int team = 0;
  int unpinned = 0;
#pragma omp parallel reduction(+ : unpinned)
  {
    const int thread = omp_get_thread_num();
#pragma omp master
    team = omp_get_num_threads();
    if (thread < wanted) {
      hwloc_bitmap_t cpu = hwloc_bitmap_alloc();
      hwloc_bitmap_only(cpu, place.cpus[static_cast<std::size_t>(thread)]);
      if (hwloc_set_cpubind(topology.handle(), cpu, HWLOC_CPUBIND_THREAD) != 0) ++unpinned;
      hwloc_bitmap_free(cpu);
    }
  }
  if (team != wanted) {
    throw std::runtime_error(place.name + ": got " + std::to_string(team) + " threads, needs " + std::to_string(wanted));
  }
  if (unpinned > 0) throw std::runtime_error(place.name + ": could not pin " + std::to_string(unpinned) + " threads");
}

}  // namespace assay
