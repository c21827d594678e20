// Which rank has which column of [A | b]: blocks of `block` columns go to the ranks in turn (a grid of 1 x Q). Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay::hplgpu {

struct Layout {
  std::int64_t order;  // N: rows; there are N + 1 columns, the last is b
  std::int64_t block;  // NB
  int ranks;           // Q

  int owner(std::int64_t column) const { return static_cast<int>(column / block % ranks); }

  // How many of the columns before `column` the rank has: for a column of its own, where it stands in the rank's memory.
  std::int64_t local(int rank, std::int64_t column) const {
    const std::int64_t blocks = column / block;
    const std::int64_t whole = blocks / ranks + (blocks % ranks > rank ? 1 : 0);
    return whole * block + (blocks % ranks == rank ? column % block : 0);
  }

  std::int64_t columns(int rank) const { return local(rank, order + 1); }

  std::int64_t most_columns() const { return columns(0); }  // the first rank is never behind
};

// One step of the factorization: a panel that lies within one block.
struct Step {
  std::int64_t first;
  std::int64_t width;
};

// Panels as wide as a block; narrower ones towards the end, where a panel costs more than it saves: no fewer than `tail` panels of
// their width remain (0: never narrower).
inline std::vector<Step> steps_of(const Layout& layout, std::int64_t tail) {
  constexpr std::int64_t kNarrowest = 128;
  std::vector<Step> steps;
  for (std::int64_t first = 0; first < layout.order;) {
    std::int64_t width = layout.block;
    while (width % 2 == 0 && width / 2 >= kNarrowest && layout.order - first < tail * width) width /= 2;
    const std::int64_t block_end = (first / layout.block + 1) * layout.block;
    width = std::min({width, block_end - first, layout.order - first});
    steps.push_back({first, width});
    first += width;
  }
  return steps;
}

// Columns of a rank that lie side by side in the matrix too.
struct ColumnRun {
  std::int64_t first;  // in the matrix
  std::int64_t local;  // in the rank's memory
  std::int64_t count;
};

inline std::vector<ColumnRun> runs_of(const Layout& layout, int rank) {
  std::vector<ColumnRun> runs;
  for (std::int64_t first = rank * layout.block; first <= layout.order; first += layout.block * layout.ranks) {
    runs.push_back({first, layout.local(rank, first), std::min(layout.block, layout.order + 1 - first)});
  }
  return runs;
}

}  // namespace assay::hplgpu
