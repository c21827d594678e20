#include "p2p/node.hpp"

#include "p2p/sm_copy.hpp"

namespace assay::p2p {
namespace {

std::uint64_t seed_of(int gpu) { return 100 + static_cast<std::uint64_t>(gpu); }

}  // namespace

Node::Node(const std::vector<cuda::Gpu>& gpus, std::size_t bytes) : gpus_(gpus), bytes_(bytes) {
  for (const auto& gpu : gpus_) {
    outboxes_.emplace_back(gpu.index, bytes);
    inboxes_.emplace_back(gpu.index, bytes);
    sending_.emplace_back(gpu.index);
    receiving_.emplace_back(gpu.index);
    cuda::fill_pattern(outboxes_.back().data(), bytes, seed_of(gpu.index), sending_.back());
  }
  for (const auto& stream : sending_) stream.synchronize();
}

bool Node::can_reach(const Pair& pair) const {
  int can = 0;
  cuda::check(cudaDeviceCanAccessPeer(&can, gpu(pair.from).index, gpu(pair.to).index), "asking for peer access");
  return can != 0;
}

void Node::enable_peer_access() {
  for (const auto& pair : ordered_pairs(size())) {
    if (!can_reach(pair)) continue;
    const cuda::OnDevice on(gpu(pair.from).index);
    cuda::check(cudaDeviceEnablePeerAccess(gpu(pair.to).index, 0), "enabling peer access " + directed(pair));
  }
}

cuda::Flow Node::flow(const Pair& pair, Driver driver, std::size_t bytes) const {
  const cuda::Stream& stream = stream_of(pair, driver);
  void* target = target_of(pair);
  const void* source = source_of(pair);
  const int source_gpu = gpu(pair.from).index;
  const int target_gpu = gpu(pair.to).index;
  return {&stream, [=, &stream] {
            cuda::check(cudaMemcpyPeerAsync(target, target_gpu, source, source_gpu, bytes, stream.get()),
                        "copying gpu" + std::to_string(source_gpu) + " to gpu" + std::to_string(target_gpu));
          }};
}

cuda::Flow Node::sm_flow(const Pair& pair, Driver driver, std::size_t bytes, int copies) const {
  const cuda::Stream& stream = stream_of(pair, driver);
  void* target = target_of(pair);
  const void* source = source_of(pair);
  const int multiprocessors = gpu(driver == Driver::Source ? pair.from : pair.to).multiprocessors;
  return {&stream, [=, &stream] { queue_sm_copies(target, source, bytes, copies, multiprocessors, stream); }};
}

void Node::poison_inbox(int gpu) {
  const auto i = static_cast<std::size_t>(gpu);
  cuda::poison(inboxes_[i].data(), bytes_, receiving_[i]);
  receiving_[i].synchronize();
}

void Node::verify_inbox(const Pair& pair, std::size_t bytes, const std::string& where, bool damage,
                        cuda::Integrity& integrity) {
  const auto i = static_cast<std::size_t>(pair.to);
  if (damage) cuda::flip_bit(inboxes_[i].data(), bytes / 3, receiving_[i]);
  integrity.expect(where + " " + directed(pair),
                   cuda::compare_pattern(inboxes_[i].data(), bytes, seed_of(gpu(pair.from).index), receiving_[i]));
}

}  // namespace assay::p2p
