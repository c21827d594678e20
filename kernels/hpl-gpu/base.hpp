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
  // Multiprocessors that it takes: all, or as few as have the shared memory, and no more than two fifths as long as those have room for
  // two columns.
  enum class Share { All, Some };

  // Of the current device. Takes a little of its memory.
  BaseCase();
  ~BaseCase();
  BaseCase(const BaseCase&) = delete;
  BaseCase& operator=(const BaseCase&) = delete;

  // The most columns whose rows fit into shared memory: 16, 8, 4 or 2; 0 where even two do not.
  std::int64_t width_for(std::int64_t rows, Share share) const;

  void queue(const Panel& panel, std::int64_t first, std::int64_t count, Share share, cudaStream_t stream);

 private:
  std::int64_t width_on(int blocks, std::int64_t rows) const;
  std::int64_t most_rows(std::int64_t columns) const;

  int blocks_ = 0;                 // one per multiprocessor
  std::int64_t shared_bytes_ = 0;  // that a block may have
  void* slots_ = nullptr;
  unsigned epoch_ = 0;
};

}  // namespace assay::hplgpu
