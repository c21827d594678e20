#include "collectives/ranks.hpp"

#include <algorithm>
#include <stdexcept>

#include "collectives/data.hpp"

namespace assay::collectives {
namespace {

void check(ncclResult_t result, const std::string& action) {
  if (result != ncclSuccess) throw std::runtime_error(action + ": " + ncclGetErrorString(result) + " " + ncclGetLastError(nullptr));
}

// Queues operations of several communicators as one: NCCL needs this where one thread drives several GPUs.
class Group {
 public:
  Group() { check(ncclGroupStart(), "starting a group"); }
  ~Group() {
    if (open_) ncclGroupEnd();
  }
  void end() {
    open_ = false;
    check(ncclGroupEnd(), "ending a group");
  }

 private:
  bool open_ = true;
};

std::size_t share_of(Operation operation, std::size_t bytes, int ranks) {
  return bytes / sizeof(float) / (is_shared_out(operation) ? static_cast<std::size_t>(ranks) : 1);
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  check(ncclGetVersion(&version), "reading NCCL's version");
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

Ranks::Ranks(const World& world, const std::vector<cuda::Gpu>& gpus, std::size_t bytes)
    : world_(world), ranks_(world.size() * static_cast<int>(gpus.size())) {
  ncclUniqueId id{};
  if (world.rank() == 0) check(ncclGetUniqueId(&id), "making NCCL's id");
  world.broadcast_from_first(&id, sizeof id);
  const int first = world.rank() * static_cast<int>(gpus.size());
  const std::size_t count = bytes / sizeof(float);
  locals_.reserve(gpus.size());
  world.together([&] {
    for (const auto& gpu : gpus) {
      locals_.push_back(Local{first + static_cast<int>(locals_.size()), cuda::Stream(gpu.index), cuda::EventTimer(gpu.index),
                              {gpu.index, count}, {gpu.index, count}});
    }
  });
  Group group;
  for (auto& local : locals_) {
    const cuda::OnDevice on(local.stream.device());
    check(ncclCommInitRank(&local.communicator, ranks_, id, local.rank), "joining NCCL's communicator");
  }
  group.end();
  for (auto& local : locals_) fill_send(local.send.data(), count, local.rank, local.stream);
  synchronize();
}

Ranks::~Ranks() {
  for (auto& local : locals_) {
    if (local.communicator != nullptr) ncclCommDestroy(local.communicator);
  }
}

void Ranks::synchronize() {
  for (auto& local : locals_) local.stream.synchronize();
}

void Ranks::queue(Operation operation, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(float);
  Group group;
  for (auto& local : locals_) queue_on(local, operation, count, share_of(operation, bytes, ranks_));
  group.end();
}

void Ranks::queue_on(Local& local, Operation operation, std::size_t count, std::size_t share) {
  float* const send = local.send.data();
  float* const receive = local.receive.data();
  const ncclComm_t communicator = local.communicator;
  const cudaStream_t stream = local.stream.get();
  const std::string action = "queueing " + name_of(operation);
  switch (operation) {
    case Operation::AllReduce: check(ncclAllReduce(send, receive, count, ncclFloat, ncclSum, communicator, stream), action); break;
    case Operation::AllGather: check(ncclAllGather(send, receive, share, ncclFloat, communicator, stream), action); break;
    case Operation::ReduceScatter:
      check(ncclReduceScatter(send, receive, share, ncclFloat, ncclSum, communicator, stream), action);
      break;
    case Operation::AllToAll:
      for (int peer = 0; peer < ranks_; ++peer) {
        const std::size_t offset = static_cast<std::size_t>(peer) * share;
        check(ncclSend(send + offset, share, ncclFloat, peer, communicator, stream), action);
        check(ncclRecv(receive + offset, share, ncclFloat, peer, communicator, stream), action);
      }
      break;
    case Operation::SendRecv:
      check(ncclSend(send, count, ncclFloat, (local.rank + 1) % ranks_, communicator, stream), action);
      check(ncclRecv(receive, count, ncclFloat, (local.rank + ranks_ - 1) % ranks_, communicator, stream), action);
      break;
    case Operation::Broadcast: check(ncclBroadcast(send, receive, count, ncclFloat, 0, communicator, stream), action); break;
  }
}

double Ranks::seconds_of_one(Operation operation, std::size_t bytes, int iterations) {
  const bool is_latched = world_.size() == 1;
  world_.barrier();
  if (is_latched) {
    for (auto& local : locals_) latch_.hold(local.stream);
  }
  for (auto& local : locals_) local.timer.start(local.stream);
  for (int i = 0; i < iterations; ++i) queue(operation, bytes);
  for (auto& local : locals_) local.timer.stop(local.stream);
  if (is_latched) latch_.release();
  synchronize();
  if (is_latched) latch_.verify_held();
  double slowest = 0;
  for (auto& local : locals_) slowest = std::max(slowest, local.timer.seconds());
  return world_.max(slowest) / iterations;
}

std::vector<std::pair<int, cuda::Mismatch>> Ranks::run_verified(Operation operation, std::size_t bytes, bool damage) {
  for (auto& local : locals_) cuda::poison(local.receive.data(), bytes, local.stream);
  synchronize();
  world_.barrier();
  queue(operation, bytes);
  synchronize();
  std::vector<std::pair<int, cuda::Mismatch>> found;
  const std::size_t share = share_of(operation, bytes, ranks_);
  const std::size_t count = operation == Operation::ReduceScatter ? share : bytes / sizeof(float);
  for (auto& local : locals_) {
    if (damage) cuda::flip_bit(local.receive.data(), count * sizeof(float) / 3, local.stream);
    found.emplace_back(local.rank, compare_received(local.receive.data(), count, share, operation, local.rank, ranks_, local.stream));
  }
  return found;
}

}  // namespace assay::collectives
