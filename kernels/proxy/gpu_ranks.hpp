// The ranks of a proxy on GPUs: threads of this process, one for each GPU, or processes that mpirun started.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "collectives/world.hpp"
#include "common/cuda/device.hpp"
#include "common/cuda/stream.hpp"
#include "common/scaling.hpp"
#include "hpl-gpu/links.hpp"
#include "hpl-gpu/world_team.hpp"

namespace assay::proxy {

struct Rank {
  hplgpu::Team& team;
  const cuda::Gpu& gpu;
  bool speaks;  // writes its process's document
};

class GpuRanks {
 public:
  GpuRanks(const collectives::World& world, const std::vector<cuda::Gpu>& gpus) : world_(world), gpus_(gpus) {}

  // How many ranks to try: 1, 2, 4 ... GPUs of this process, or all processes.
  std::vector<int> sizes() const { return is_mpi() ? std::vector<int>{world_.size()} : team_sizes(static_cast<int>(gpus_.size())); }
  bool is_largest(int size) const { return size == sizes().back(); }
  std::string name_of(int size) const { return is_mpi() ? "all" : team_name(size); }

  std::vector<std::string> rank_names() const {
    std::vector<std::string> names;
    for (const auto& gpu : gpus_) names.push_back(gpu.name());
    if (!is_mpi()) return names;
    names.clear();
    for (int rank = 0; rank < world_.size(); ++rank) names.push_back("rank" + std::to_string(rank));
    return names;
  }

  void run(int size, const std::function<void(Rank)>& work) const {
    if (is_mpi()) {
      hplgpu::WorldTeam team(world_);
      return work({team, gpus_.front(), true});
    }
    hplgpu::run_threads(size, [&](hplgpu::Team& team) { work({team, gpus_[static_cast<std::size_t>(team.rank())], team.rank() == 0}); });
  }

 private:
  bool is_mpi() const { return world_.size() > 1; }

  const collectives::World& world_;
  const std::vector<cuda::Gpu>& gpus_;
};

// Waits for a stream, unless another rank failed: what waits for that one on the GPU would never end.
inline void wait(const cuda::Stream& stream, hplgpu::Team& team, hplgpu::Links* links) {
  for (;;) {
    const cudaError_t state = cudaStreamQuery(stream.get());
    if (state != cudaErrorNotReady) return cuda::check(state, "waiting for a GPU's steps");
    if (team.is_broken()) {
      if (links != nullptr) links->abort();
      throw hplgpu::Abandoned();
    }
    std::this_thread::yield();
  }
}

}  // namespace assay::proxy
