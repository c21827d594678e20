// The collective operations, what is counted for each, and NCCL's bandwidth formulas. Host code only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::collectives {

enum class Operation { AllReduce, AllGather, ReduceScatter, AllToAll, SendRecv, Broadcast };

inline constexpr std::array<Operation, 6> kOperations{Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter,
                                                      Operation::AllToAll,  Operation::SendRecv,  Operation::Broadcast};
inline constexpr std::array<const char*, 6> kOperationNames{"allReduce", "allGather", "reduceScatter",
                                                            "allToAll",  "sendRecv",  "broadcast"};

inline std::string name_of(Operation operation) { return kOperationNames[static_cast<std::size_t>(operation)]; }

// What a size of S bytes means, as NCCL's tests count it: the buffer of one rank for allReduce, sendRecv and broadcast; the
// sum of all ranks' shares for the others, each share being S / ranks.
inline bool is_shared_out(Operation operation) {
  return operation == Operation::AllGather || operation == Operation::ReduceScatter || operation == Operation::AllToAll;
}

// In place, every rank's result lies where its data lay, as NCCL defines it. The other operations have no such form.
inline bool has_in_place(Operation operation) { return operation != Operation::AllToAll && operation != Operation::SendRecv; }

enum class Placement { OutOfPlace, InPlace };

// One operation of S bytes.
struct Call {
  Operation operation;
  std::size_t bytes;
  Placement placement = Placement::OutOfPlace;
  bool is_in_place() const { return placement == Placement::InPlace; }
};

// S rounded down to whole elements in every share, and to at least one.
inline std::size_t usable_bytes(Operation operation, std::size_t bytes, int ranks, std::size_t element_bytes) {
  const std::size_t grain = element_bytes * (is_shared_out(operation) ? static_cast<std::size_t>(ranks) : 1);
  return bytes < grain ? grain : bytes / grain * grain;
}

// S per second, in GB/s.
inline double algorithm_bandwidth(double bytes, double seconds) { return bytes / seconds * 1e-9; }

// What the busiest link has to carry per byte of S by the best algorithm without help from the network, so that the figure
// can be compared with the link's speed whatever the number of ranks.
inline double bus_factor(Operation operation, int ranks) {
  const double n = ranks;
  switch (operation) {
    case Operation::AllReduce: return 2 * (n - 1) / n;
    case Operation::AllGather:
    case Operation::ReduceScatter:
    case Operation::AllToAll: return (n - 1) / n;
    default: return 1;
  }
}

// Every element is a small whole number, so that sums are exact in FP32 in whatever order: a share of the index plus a share
// of the rank.
inline constexpr std::uint32_t kIndexValues = 128;
inline std::uint32_t rank_value(int rank) { return (static_cast<std::uint32_t>(rank) * 2654435761U) >> 25; }
inline std::uint64_t rank_values_sum(int ranks) {
  std::uint64_t sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += rank_value(rank);
  return sum;
}

// "8B", "64KiB", "1536MiB": the largest unit that divides it.
inline std::string size_name(std::size_t bytes) {
  static const std::array<const char*, 4> units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + units[unit];
}

}  // namespace assay::collectives
