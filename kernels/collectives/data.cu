#include "collectives/data.hpp"
#include "common/cuda/buffer.hpp"

namespace assay::collectives {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocks = 2048;

__device__ std::uint32_t index_value(std::size_t i) {
  return static_cast<std::uint32_t>(cuda::pattern_word(i, 7)) % kIndexValues;
}

__global__ void fill_kernel(float* send, std::size_t count, std::uint32_t offset) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    send[i] = static_cast<float>(index_value(i) + offset);
  }
}

// Where a received element i came from: which rank or ranks sent it, and at which index.
struct Origin {
  bool is_sum;              // the sum over all ranks
  bool is_by_share;         // rank i / share sent it, from within its share
  std::size_t share;        // elements
  std::size_t shift;        // added to the index
  std::uint32_t rank_part;  // of the fixed sender
  int ranks;
  std::uint64_t rank_parts_sum;
};

__global__ void compare_kernel(const float* received, std::size_t count, Origin origin, cuda::Mismatch* found) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    float expected = 0;
    if (origin.is_sum) {
      const auto sum = static_cast<std::uint64_t>(index_value(i + origin.shift)) * static_cast<std::uint64_t>(origin.ranks);
      expected = static_cast<float>(sum + origin.rank_parts_sum);
    } else if (origin.is_by_share) {
      const auto sender = static_cast<std::uint32_t>(i / origin.share);
      expected = static_cast<float>(index_value(i % origin.share + origin.shift) + ((sender * 2654435761U) >> 25));
    } else {
      expected = static_cast<float>(index_value(i) + origin.rank_part);
    }
    if (received[i] == expected) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(&found->words), 1ULL);
    atomicMin(reinterpret_cast<unsigned long long*>(&found->first), static_cast<unsigned long long>(i));
  }
}

Origin origin_of(Operation operation, std::size_t share, int rank, int ranks) {
  Origin origin{};
  origin.share = share;
  origin.ranks = ranks;
  origin.rank_parts_sum = rank_values_sum(ranks);
  const std::size_t own_share = share * static_cast<std::size_t>(rank);
  switch (operation) {
    case Operation::AllReduce: origin.is_sum = true; break;
    case Operation::ReduceScatter:
      origin.is_sum = true;
      origin.shift = own_share;
      break;
    case Operation::AllGather: origin.is_by_share = true; break;
    case Operation::AllToAll:
      origin.is_by_share = true;
      origin.shift = own_share;
      break;
    case Operation::SendRecv: origin.rank_part = rank_value((rank + ranks - 1) % ranks); break;
    case Operation::Broadcast: origin.rank_part = rank_value(0); break;
  }
  return origin;
}

}  // namespace

void fill_send(float* send, std::size_t count, int rank, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  fill_kernel<<<kBlocks, kThreads, 0, stream.get()>>>(send, count, rank_value(rank));
  cuda::check_launch("filling a send buffer");
}

cuda::Mismatch compare_received(const float* received, std::size_t count, std::size_t share, Operation operation, int rank,
                                int ranks, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  cuda::DeviceBuffer<cuda::Mismatch> found(stream.device(), 1);
  cuda::Mismatch mismatch{0, ~0ULL};
  cuda::check(cudaMemcpyAsync(found.data(), &mismatch, sizeof mismatch, cudaMemcpyHostToDevice, stream.get()), "clearing a count");
  compare_kernel<<<kBlocks, kThreads, 0, stream.get()>>>(received, count, origin_of(operation, share, rank, ranks), found.data());
  cuda::check_launch("comparing a receive buffer");
  cuda::check(cudaMemcpyAsync(&mismatch, found.data(), sizeof mismatch, cudaMemcpyDeviceToHost, stream.get()), "reading a count");
  stream.synchronize();
  return mismatch;
}

}  // namespace assay::collectives
