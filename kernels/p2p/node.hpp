// The GPUs of a node with what every mode needs: a buffer to send, one to receive, and streams.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "common/cuda/buffer.hpp"
#include "common/cuda/device.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/integrity.hpp"
#include "p2p/pairs.hpp"

namespace assay::p2p {

enum class Driver { Source, Destination };  // who drives the copy: Source writes, Destination reads

class Node {
 public:
  Node(const std::vector<cuda::Gpu>& gpus, std::size_t bytes);

  int size() const { return static_cast<int>(gpus_.size()); }
  std::size_t bytes() const { return bytes_; }
  const cuda::Gpu& gpu(int index) const { return gpus_[static_cast<std::size_t>(index)]; }
  cuda::Latch& latch() { return latch_; }
  const cuda::Stream& stream(int gpu) const { return sending_[static_cast<std::size_t>(gpu)]; }
  std::byte* outbox(int gpu) { return outboxes_[static_cast<std::size_t>(gpu)].data(); }
  std::byte* inbox(int gpu) { return inboxes_[static_cast<std::size_t>(gpu)].data(); }

  // The driver says that `pair.from` can reach the memory of `pair.to`.
  bool can_reach(const Pair& pair) const;
  bool can_exchange(const Pair& pair) const { return can_reach(pair) && can_reach({pair.to, pair.from}); }

  // Until this is called, copies between GPUs are staged through host memory.
  void enable_peer_access();

  // Copies the first `bytes` of the sender's outbox to the receiver's inbox, by the copy engine.
  cuda::Flow flow(const Pair& pair, Driver driver, std::size_t bytes) const;

  // The same by the multiprocessors, `copies` times in one launch.
  cuda::Flow sm_flow(const Pair& pair, Driver driver, std::size_t bytes, int copies) const;

  void poison_inbox(int gpu);
  // Damages the inbox first when `damage` is set.
  void verify_inbox(const Pair& pair, std::size_t bytes, const std::string& where, bool damage, cuda::Integrity& integrity);

 private:
  const cuda::Stream& stream_of(const Pair& pair, Driver driver) const {
    return driver == Driver::Source ? sending_[static_cast<std::size_t>(pair.from)] : receiving_[static_cast<std::size_t>(pair.to)];
  }
  const void* source_of(const Pair& pair) const { return outboxes_[static_cast<std::size_t>(pair.from)].data(); }
  void* target_of(const Pair& pair) const { return const_cast<std::byte*>(inboxes_[static_cast<std::size_t>(pair.to)].data()); }

  std::vector<cuda::Gpu> gpus_;
  std::size_t bytes_;
  std::vector<cuda::DeviceBuffer<std::byte>> outboxes_;
  std::vector<cuda::DeviceBuffer<std::byte>> inboxes_;
  std::vector<cuda::Stream> sending_;
  std::vector<cuda::Stream> receiving_;
  cuda::Latch latch_;
};

}  // namespace assay::p2p
