#include "hpl-gpu/links.hpp"

#include <exception>
#include <utility>

#include "common/cuda/error.hpp"

namespace assay::hplgpu {
namespace {

void check(ncclResult_t result, const std::string& action) {
  if (result == ncclSuccess) return;
  const std::string last = ncclGetLastError(nullptr);
  cuda::fail(action + ": " + ncclGetErrorString(result) + " " + last, last.find("out of memory") != std::string::npos);
}

}  // namespace

std::string nccl_version() {
  int version = 0;
  check(ncclGetVersion(&version), "reading NCCL's version");
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

Links::Links(Team& team, int channels) {
  ncclUniqueId id{};
  team.together([&] {
    if (team.rank() == 0) check(ncclGetUniqueId(&id), "making NCCL's id");
  });
  team.broadcast_from_first(&id, sizeof id);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.minCTAs = 1;
  config.maxCTAs = channels;
  check(ncclCommInitRankConfig(&communicator_, team.size(), id, team.rank(), &config), "joining NCCL's communicator");
}

// A rank that failed must not wait here for what the others were to send.
Links::~Links() {
  if (std::uncaught_exceptions() > 0) abort();
  if (communicator_ != nullptr) ncclCommDestroy(communicator_);
}

void Links::abort() {
  if (communicator_ != nullptr) ncclCommAbort(std::exchange(communicator_, nullptr));
}

void Links::broadcast(void* data, std::size_t bytes, int root, cudaStream_t stream) {
  check(ncclBroadcast(data, data, bytes, ncclInt8, root, communicator_, stream), "broadcasting a panel");
}

// With two ranks, both neighbours are the same one: what is sent first, downwards, is received first, from above.
void Links::exchange(const Ends& ends, std::size_t bytes, int rank, int ranks, cudaStream_t stream) {
  const int below = (rank + ranks - 1) % ranks;
  const int above = (rank + 1) % ranks;
  check(ncclGroupStart(), "beginning an exchange");
  check(ncclSend(ends.to_below, bytes, ncclInt8, below, communicator_, stream), "sending to the rank below");
  check(ncclSend(ends.to_above, bytes, ncclInt8, above, communicator_, stream), "sending to the rank above");
  check(ncclRecv(ends.from_above, bytes, ncclInt8, above, communicator_, stream), "receiving from the rank above");
  check(ncclRecv(ends.from_below, bytes, ncclInt8, below, communicator_, stream), "receiving from the rank below");
  check(ncclGroupEnd(), "exchanging with the neighbours");
}

void Links::sum_to(int root, double* values, std::size_t count, cudaStream_t stream) {
  check(ncclReduce(values, values, count, ncclDouble, ncclSum, root, communicator_, stream), "adding up to one rank");
}

void Links::sum_to_all(double* values, std::size_t count, cudaStream_t stream) {
  check(ncclAllReduce(values, values, count, ncclDouble, ncclSum, communicator_, stream), "adding up to all ranks");
}

}  // namespace assay::hplgpu
