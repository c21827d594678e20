// One rank's end of NCCL.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <string>

#include "hpl-gpu/team.hpp"

namespace assay::hplgpu {

std::string nccl_version();

class Links {
 public:
  // Of the current device. channels: how many thread blocks, so multiprocessors, a transfer may take. All ranks make theirs at once.
  Links(Team& team, int channels);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  // root sends, the others receive, in the same memory.
  void broadcast(void* data, std::size_t bytes, int root, cudaStream_t stream);
  void sum_to(int root, double* values, std::size_t count, cudaStream_t stream);
  void sum_to_all(double* values, std::size_t count, cudaStream_t stream);

  // Two neighbours' data, on a ring of ranks: sends to the rank below and above, receives from both. Sizes are the same everywhere.
  struct Ends {
    const void* to_below;
    const void* to_above;
    void* from_below;
    void* from_above;
  };
  void exchange(const Ends& ends, std::size_t bytes, int rank, int ranks, cudaStream_t stream);

  // Ends what waits for ranks that will not come.
  void abort();

 private:
  ncclComm_t communicator_ = nullptr;
};

}  // namespace assay::hplgpu
