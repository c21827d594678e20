// CG's matrix: a sum of outer products of sparse random vectors, its eigenvalues shifted. Each rank holds a block of it.
#pragma once

#include <cstdint>
#include <vector>

#include "npb/classes.hpp"

namespace assay::npb {

// Ranks in a grid, row by row. A vector is cut into one chunk for each rank. A row of ranks has the matrix rows of its own
// chunks; a column of ranks has the matrix columns of the chunks that its ranks own. So what a product leaves where the row sums
// it up is already where the next product gathers it from.
struct Layout {
  int grid_rows = 1;
  int grid_columns = 1;
  int rank = 0;
  std::int64_t order = 0;
  std::int64_t chunk = 0;  // the last ones may reach beyond the order: that part stays zero

  static Layout of(int ranks, int rank, std::int64_t order);

  int grid_row() const { return rank / grid_columns; }
  int grid_column() const { return rank % grid_columns; }
  std::int64_t row_count() const { return chunk * grid_columns; }
  std::int64_t column_count() const { return chunk * grid_rows; }

  // The place of a row or column of the matrix in this rank's block; -1 where it is another's.
  std::int64_t local_row(std::int64_t row) const;
  std::int64_t local_column(std::int64_t column) const;
};

// This rank's block, row by row.
struct Sparse {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  // result: one value for each row of the block.
  void multiply(const std::vector<double>& vector, std::vector<double>& result) const;
};

Sparse make_matrix(const CgClass& problem, const Layout& layout);

}  // namespace assay::npb
