// The base case of a panel's recursion: a few columns, factored by one kernel with a thread block on each of some multiprocessors. The
// rows stay in shared memory from the first column to the last, and the blocks meet once per column.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "hpl-gpu/backend.hpp"

namespace assay::hplgpu {

inline constexpr std::int64_t kMostBaseColumns = 16;

class BaseCase {
 public:
  // Of the current device. Takes a little of its memory. rows: that a block takes, where there is shared memory for them and where all
  // multiprocessors are not too few.
  explicit BaseCase(std::int64_t rows);
  ~BaseCase();
  BaseCase(const BaseCase&) = delete;
  BaseCase& operator=(const BaseCase&) = delete;

  // The most columns whose rows fit into shared memory: 16, 8, 4 or 2; 0 where even two do not.
  std::int64_t width_for(std::int64_t rows) const;

  void queue(const Panel& panel, std::int64_t first, std::int64_t count, cudaStream_t stream);

 private:
  std::int64_t least_rows_per_block(std::int64_t rows) const;
  std::int64_t rows_per_block(std::int64_t rows, std::int64_t columns) const;

  std::int64_t wanted_rows_;
  int blocks_ = 0;                 // one per multiprocessor
  std::int64_t shared_bytes_ = 0;  // that a block may have
  void* slots_ = nullptr;
  unsigned epoch_ = 0;
};

}  // namespace assay::hplgpu
