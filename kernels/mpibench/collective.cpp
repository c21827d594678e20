#include "mpibench/collective.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstring>

namespace assay::mpibench {
namespace {

// Whole numbers below 2^7 each, a share of the index and one of the rank: their sum over up to 2^16 ranks is exact in FP32, in
// whatever order MPI adds.
float index_value(std::size_t index) { return static_cast<float>((index * 40503U) >> 3 & 127U); }
float rank_value(int rank) { return static_cast<float>((static_cast<unsigned>(rank) * 2654435761U) >> 25); }

std::vector<unsigned char> bytes_of(const std::vector<float>& numbers) {
  std::vector<unsigned char> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

// factor x the index's share + constant
std::vector<unsigned char> numbers(std::size_t bytes, float factor, float constant) {
  std::vector<float> values(bytes / sizeof(float));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = factor * index_value(i) + constant;
  return bytes_of(values);
}

}  // namespace

Collective::Collective(Place place, const World& world, std::size_t most_bytes)
    : world_(world),
      send_(place, std::max(most_bytes, sizeof(float) * static_cast<std::size_t>(world.size()))),
      receive_(place, send_.bytes()) {}

std::size_t Collective::usable_bytes(Operation operation, std::size_t bytes) const {
  const std::size_t grain = operation == Operation::Alltoall ? static_cast<std::size_t>(world_.size()) : sizeof(float);
  return std::max(bytes / grain, std::size_t{1}) * grain;
}

// What this rank has to receive.
std::vector<unsigned char> Collective::expected(Operation operation, std::size_t bytes) const {
  const int ranks = world_.size();
  if (operation == Operation::Allreduce) {
    float constant = 0;
    for (int rank = 0; rank < ranks; ++rank) constant += rank_value(rank);
    return numbers(bytes, static_cast<float>(ranks), constant);
  }
  std::vector<unsigned char> all;
  for (int sender = 0; sender < ranks; ++sender) {
    const auto share = message_content(sender, static_cast<std::size_t>(world_.rank()), bytes / static_cast<std::size_t>(ranks));
    all.insert(all.end(), share.begin(), share.end());
  }
  return all;
}

void Collective::prepare(Operation operation, std::size_t bytes) {
  if (operation == Operation::Barrier) return;
  receive_.write(0, poison_for(expected(operation, bytes)));
  if (operation == Operation::Allreduce) {
    send_.write(0, numbers(bytes, 1, rank_value(world_.rank())));
    return;
  }
  const std::size_t share = bytes / static_cast<std::size_t>(world_.size());
  for (int peer = 0; peer < world_.size(); ++peer) {
    const auto number = static_cast<std::size_t>(peer);
    send_.write(number * share, message_content(world_.rank(), number, share));
  }
}

double Collective::run(Operation operation, std::size_t bytes, const Load& load) const {
  const int elements = static_cast<int>(bytes / sizeof(float));
  const int share = static_cast<int>(bytes / static_cast<std::size_t>(world_.size()));
  const double start = MPI_Wtime();
  for (int i = 0; i < load.iterations; ++i) {
    switch (operation) {
      case Operation::Allreduce:
        MPI_Allreduce(send_.at(0), receive_.at(0), elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        break;
      case Operation::Alltoall:
        MPI_Alltoall(send_.at(0), share, MPI_BYTE, receive_.at(0), share, MPI_BYTE, MPI_COMM_WORLD);
        break;
      case Operation::Barrier: MPI_Barrier(MPI_COMM_WORLD); break;
    }
  }
  return MPI_Wtime() - start;
}

int Collective::wrong_results(Operation operation, std::size_t bytes, bool damage) const {
  if (operation == Operation::Barrier) return 0;
  if (damage) flip_bit(receive_, bytes / 3);
  return receive_.read(0, bytes) == expected(operation, bytes) ? 0 : 1;
}

}  // namespace assay::mpibench
