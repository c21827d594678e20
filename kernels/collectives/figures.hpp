// Bandwidth and latency of NCCL's operations, by message size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/ranks.hpp"
#include "common/cuda/integrity.hpp"
#include "common/document.hpp"
#include "common/sampling.hpp"

namespace assay::collectives {

inline const std::vector<std::string> kNames(kOperationNames.begin(), kOperationNames.end());

struct Plan {
  std::vector<std::int64_t> sizes{8, 65536, 1 << 20, 16 << 20, 256 << 20, 8LL << 30};  // in bytes
  std::vector<std::string> operations = kNames;
  std::vector<std::string> placements{"out"};
  double budget_seconds = 0.5;  // most seconds of sampling per operation and size
  double tolerance = 0.005;     // a figure needs no more samples once it is known as closely as this
  int least_iterations = 2;     // of a sample
  bool only_bus = false;        // bandwidths of the bus alone
  bool ring = false;            // as the names say; whoever makes the ranks forces it
  bool inject_bitflip = false;
};

// Bytes of each of the two buffers that every rank needs, or what fits, the same in all processes.
std::size_t fit_buffers(const Plan& plan, const std::vector<cuda::Gpu>& gpus, const World& world, Document& doc);

// What NCCL is and was told.
void describe(const Plan& plan, const Ranks& ranks, const World& world, Document& doc);

class Figures {
 public:
  Figures(const Plan& plan, const World& world, Ranks& ranks, std::size_t most_bytes, Document& doc, cuda::Integrity& integrity)
      : plan_(plan), world_(world), ranks_(ranks), most_bytes_(most_bytes), doc_(doc), integrity_(integrity) {}

  void run();

 private:
  void measure_placements(Operation operation, std::size_t bytes);
  void measure(const Call& call, const std::string& prefix);
  void verify(const Call& call, const std::string& prefix);
  struct Sample {
    double value, cost;  // in seconds
  };
  template <typename Seconds>
  StoppingRule sample(Seconds seconds, const std::vector<Sample>& first);

  const Plan& plan_;
  const World& world_;
  Ranks& ranks_;
  std::size_t most_bytes_;
  Document& doc_;
  cuda::Integrity& integrity_;
};

}  // namespace assay::collectives
