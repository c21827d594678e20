// NCCL's ranks of this process: a communicator, a stream and two buffers per GPU, and the operations on all of them.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <string>
#include <vector>

#include "collectives/operation.hpp"
#include "collectives/world.hpp"
#include "common/cuda/buffer.hpp"
#include "common/cuda/device.hpp"
#include "common/cuda/latch.hpp"
#include "common/cuda/pattern.hpp"

namespace assay::collectives {

std::string nccl_version();

class Ranks {
 public:
  // One rank per GPU given; buffers of `bytes` each.
  Ranks(const World& world, const std::vector<cuda::Gpu>& gpus, std::size_t bytes);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int count() const { return ranks_; }  // over all processes
  std::size_t most_bytes() const { return locals_.front().send.bytes(); }

  // Seconds of one operation: the slowest GPU's, of `iterations` back to back. Without a latch where other processes take
  // part, who could not be released at the same time.
  double seconds_of_one(const Call& call, int iterations);

  // The same by the host's clock, from the first launch to the end of the last operation, as NCCL's tests measure it.
  double launched_seconds_of_one(const Call& call, int iterations);

  // Runs the operation once into poisoned buffers and compares all that was received. This warms up too: NCCL makes its
  // connections at first use. damage: for tests.
  std::vector<std::pair<int, cuda::Mismatch>> run_verified(const Call& call, bool damage);

 private:
  struct Local {
    int rank;
    cuda::Stream stream;
    cuda::EventTimer timer;
    cuda::DeviceBuffer<float> send;
    cuda::DeviceBuffer<float> receive;
    ncclComm_t communicator = nullptr;
  };
  void join();
  void queue(const Call& call);
  void queue_on(Local& local, const Call& call);
  std::size_t share_of(const Call& call) const;   // elements
  const float* source_of(Local& local, const Call& call) const;
  float* target_of(Local& local, const Call& call) const;
  void prepare(Local& local, const Call& call) const;
  void synchronize();

  const World& world_;
  int ranks_;
  std::vector<Local> locals_;
  cuda::Latch latch_;
};

}  // namespace assay::collectives
