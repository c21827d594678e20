// Operations that all ranks take part in.
#pragma once

#include <cstddef>

#include "mpibench/pattern.hpp"
#include "mpibench/world.hpp"

namespace assay::mpibench {

enum class Operation { Allreduce, Alltoall, Barrier };

class Collective {
 public:
  Collective(Place place, const World& world, std::size_t most_bytes);

  // bytes, rounded to whole elements, and for Alltoall to whole shares: of all that one rank sends.
  std::size_t usable_bytes(Operation operation, std::size_t bytes) const;

  void prepare(Operation operation, std::size_t bytes);
  double run(Operation operation, std::size_t bytes, const Load& load) const;
  // 1 when what this rank received is wrong. A barrier has no data.
  int wrong_results(Operation operation, std::size_t bytes, bool damage) const;

 private:
  std::vector<unsigned char> expected(Operation operation, std::size_t bytes) const;

  const World& world_;
  Buffer send_;
  Buffer receive_;
};

}  // namespace assay::mpibench
