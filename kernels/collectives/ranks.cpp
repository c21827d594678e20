#include "collectives/ranks.hpp"

#include <algorithm>
#include <stdexcept>

#include "collectives/data.hpp"
#include "common/cuda/flow.hpp"

namespace assay::collectives {
namespace {

void check(ncclResult_t result, const std::string& action) {
  if (result == ncclSuccess) return;
  const std::string last = ncclGetLastError(nullptr);
  cuda::fail(action + ": " + ncclGetErrorString(result) + " " + last, last.find("out of memory") != std::string::npos);
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

}  // namespace

std::string nccl_version() {
  int version = 0;
  check(ncclGetVersion(&version), "reading NCCL's version");
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

Ranks::Ranks(const World& world, const std::vector<cuda::Gpu>& gpus, std::size_t bytes)
    : world_(world), ranks_(world.size() * static_cast<int>(gpus.size())) {
  const int first = world.rank() * static_cast<int>(gpus.size());
  const std::size_t count = bytes / sizeof(float);
  locals_.reserve(gpus.size());
  world.together([&] {
    for (const auto& gpu : gpus) {
      locals_.push_back(Local{first + static_cast<int>(locals_.size()), cuda::Stream(gpu.index), cuda::EventTimer(gpu.index),
                              {gpu.index, count}, {gpu.index, count}});
    }
  });
  join();
  for (auto& local : locals_) fill_send(local.send.data(), count, local.rank, local.stream);
  synchronize();
}

Ranks::~Ranks() {
  for (auto& local : locals_) {
    if (local.communicator != nullptr) ncclCommDestroy(local.communicator);
  }
}

void Ranks::join() {
  ncclUniqueId id{};
  if (world_.rank() == 0) check(ncclGetUniqueId(&id), "making NCCL's id");
  world_.broadcast_from_first(&id, sizeof id);
  Group group;
  for (auto& local : locals_) {
    const cuda::OnDevice on(local.stream.device());
    check(ncclCommInitRank(&local.communicator, ranks_, id, local.rank), "joining NCCL's communicator");
  }
  group.end();
}

void Ranks::synchronize() {
  for (auto& local : locals_) local.stream.synchronize();
}

std::size_t Ranks::share_of(const Call& call) const {
  return call.bytes / sizeof(float) / (is_shared_out(call.operation) ? static_cast<std::size_t>(ranks_) : 1);
}

// In place, both are in the receive buffer: the whole of it, or where the rank's own share belongs.
const float* Ranks::source_of(Local& local, const Call& call) const {
  if (!call.is_in_place()) return local.send.data();
  const bool is_share = call.operation == Operation::AllGather;
  return local.receive.data() + (is_share ? share_of(call) * static_cast<std::size_t>(local.rank) : 0);
}

float* Ranks::target_of(Local& local, const Call& call) const {
  const bool is_share = call.is_in_place() && call.operation == Operation::ReduceScatter;
  return local.receive.data() + (is_share ? share_of(call) * static_cast<std::size_t>(local.rank) : 0);
}

void Ranks::queue(const Call& call) {
  Group group;
  for (auto& local : locals_) queue_on(local, call);
  group.end();
}

void Ranks::queue_on(Local& local, const Call& call) {
  const float* const send = source_of(local, call);
  float* const receive = target_of(local, call);
  const std::size_t count = call.bytes / sizeof(float);
  const std::size_t share = share_of(call);
  const ncclComm_t communicator = local.communicator;
  const cudaStream_t stream = local.stream.get();
  const std::string action = "queueing " + name_of(call.operation);
  switch (call.operation) {
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

double Ranks::seconds_of_one(const Call& call, int iterations) {
  const bool is_latched = world_.size() == 1;
  world_.barrier();
  if (is_latched) {
    for (auto& local : locals_) latch_.hold(local.stream);
  }
  for (auto& local : locals_) local.timer.start(local.stream);
  for (int i = 0; i < iterations; ++i) queue(call);
  for (auto& local : locals_) local.timer.stop(local.stream);
  if (is_latched) latch_.release();
  synchronize();
  if (is_latched) latch_.verify_held();
  double slowest = 0;
  for (auto& local : locals_) slowest = std::max(slowest, local.timer.seconds());
  return world_.max(slowest) / iterations;
}

double Ranks::launched_seconds_of_one(const Call& call, int iterations) {
  world_.barrier();
  const cuda::Stopwatch watch;
  for (int i = 0; i < iterations; ++i) queue(call);
  synchronize();
  return world_.max(watch.seconds()) / iterations;
}

// Poisons what is to be received. In place, what the rank sends has to be put there first.
void Ranks::prepare(Local& local, const Call& call) const {
  const cuda::OnDevice on(local.stream.device());
  cuda::poison(local.receive.data(), call.bytes, local.stream);
  const bool sends = call.operation != Operation::Broadcast || local.rank == 0;
  if (!call.is_in_place() || !sends) return;
  const std::size_t bytes = call.operation == Operation::AllGather ? share_of(call) * sizeof(float) : call.bytes;
  cuda::check(cudaMemcpyAsync(const_cast<float*>(source_of(local, call)), local.send.data(), bytes, cudaMemcpyDeviceToDevice,
                              local.stream.get()),
              "copying what is sent in place");
}

std::vector<std::pair<int, cuda::Mismatch>> Ranks::run_verified(const Call& call, bool damage) {
  for (auto& local : locals_) prepare(local, call);
  synchronize();
  world_.barrier();
  queue(call);
  synchronize();
  std::vector<std::pair<int, cuda::Mismatch>> found;
  const std::size_t share = share_of(call);
  const std::size_t count = call.operation == Operation::ReduceScatter ? share : call.bytes / sizeof(float);
  for (auto& local : locals_) {
    float* const received = target_of(local, call);
    if (damage) cuda::flip_bit(received, count * sizeof(float) / 3, local.stream);
    found.emplace_back(local.rank, compare_received(received, count, share, call.operation, local.rank, ranks_, local.stream));
  }
  return found;
}

}  // namespace assay::collectives
