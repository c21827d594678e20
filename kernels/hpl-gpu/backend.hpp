// What the algorithm asks of one rank's device. A GPU does it in one implementation, the host in the other, so that the algorithm is
// tested without a GPU.
//
// Every device has three queues. What is queued on one is done in that order; between them, only events order anything. Only
// wait_for(), download(), take_phases() and checksum_differences() wait for the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hpl-gpu/layout.hpp"
#include "hpl-gpu/phases.hpp"

namespace assay::hplgpu {

enum class Queue { Compute, Panel, Transfer };

// Column-major memory of a device.
struct Matrix {
  double* data = nullptr;
  std::int64_t ld = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  double* at(std::int64_t row, std::int64_t column) const { return data + row + column * ld; }
  Matrix part(std::int64_t row, std::int64_t column, std::int64_t part_rows, std::int64_t part_columns) const {
    return {at(row, column), ld, part_rows, part_columns};
  }
  Matrix top(std::int64_t count) const { return part(0, 0, count, columns); }
  Matrix below(std::int64_t row) const { return part(row, 0, rows - row, columns); }
};

// A panel as it is sent: its columns from the diagonal down, then its checksum, its pivots, and what the swaps come to. Rows count from
// the panel's first.
struct Panel {
  double* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t width = 0;

  std::int64_t ld() const { return leading_dimension(rows); }
  Matrix matrix() const { return {data, ld(), rows, width}; }
  std::uint64_t* checksum() const { return reinterpret_cast<std::uint64_t*>(data + ld() * width); }
  std::int32_t* pivots() const { return reinterpret_cast<std::int32_t*>(checksum() + 2); }
  std::int32_t* top_from() const { return pivots() + width; }      // which row comes to row i of the top
  std::int32_t* pivot_from() const { return top_from() + width; }  // which row comes to row pivots()[i]
  std::size_t bytes() const { return doubles(rows, width) * sizeof(double); }

  // A multiple of 128 bytes, but never of 4 KiB.
  static std::int64_t leading_dimension(std::int64_t rows) {
    const std::int64_t ld = (rows + 15) / 16 * 16;
    return ld % 512 == 0 ? ld + 16 : ld;
  }
  static std::size_t doubles(std::int64_t rows, std::int64_t width) {
    return static_cast<std::size_t>(leading_dimension(rows) * width + 2 + (3 * width + 1) / 2);
  }
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Memory of the device, zeroed, which lives as long as the backend.
  virtual double* allocate(std::size_t doubles) = 0;
  virtual std::vector<double> download(const double* from, std::size_t count) = 0;  // waits for the compute queue

  // Event numbers are small; one that was never recorded has passed.
  virtual void record(Queue queue, int event) = 0;
  virtual void hold_until(Queue queue, int event) = 0;
  virtual void wait_for(int event) = 0;
  // What follows is queued on Compute or Panel; at first, on Compute. What is on Panel goes first where both could run, and its base case
  // leaves most multiprocessors to the other.
  virtual void work_on(Queue queue) = 0;
  // All that this queue did since its last mark was this phase.
  virtual void mark(Phase phase) = 0;
  virtual Phases take_phases() = 0;  // waits for all queues

  // --- compute queue, or what work_on() said
  virtual void generate(const Matrix& to, std::int64_t first_column, std::int64_t order) = 0;
  virtual void copy(const Matrix& from, const Matrix& to) = 0;
  virtual void clear(double* values, std::size_t count) = 0;
  // How many columns factor_columns() takes at once of a panel of so many rows.
  virtual std::int64_t base_width(std::int64_t rows) const = 0;
  // Factors columns [first, first + count) from row `first` down, with the lowest row where several are largest. Writes their pivots, and
  // swaps the same rows in all other columns of the panel.
  virtual void factor_columns(const Panel& panel, std::int64_t first, std::int64_t count) = 0;
  virtual void trace_swaps(const Panel& panel) = 0;  // pivots -> top_from, pivot_from
  virtual void swap_rows(const Panel& panel, const Matrix& a, const Matrix& top) = 0;  // new top rows into `top`; a's own stay as they are
  virtual void solve_lower(const Matrix& l, const Matrix& b) = 0;                        // b = l^-1 b, l unit lower triangular
  virtual void invert_lower(const Matrix& l, const Matrix& to) = 0;                      // to = l^-1, l unit lower triangular
  virtual void multiply(const Matrix& c, const Matrix& a, const Matrix& b) = 0;          // c = a b
  virtual void subtract_product(const Matrix& c, const Matrix& a, const Matrix& b) = 0;  // c -= a b
  virtual void solve_upper(const Matrix& u, double* x) = 0;                              // x = u^-1 x
  virtual void subtract_times(const Matrix& a, const double* x, double* y) = 0;          // y -= a x
  // Of columns made anew: products[i] += sum a_ij x_j, sums[i] += sum |a_ij|. x: of these columns.
  virtual void add_row_sums(const ColumnRun& columns, std::int64_t order, const double* x, double* products, double* sums) = 0;
  virtual void write_checksum(const Panel& panel) = 0;
  virtual void compare_checksum(const Panel& panel) = 0;  // counts differences
  virtual std::int64_t checksum_differences() = 0;        // waits
  virtual void flip_bit(double* value) = 0;

  // --- between ranks; all of them call it, in the same order
  virtual void broadcast(const Panel& panel, int root) = 0;                           // transfer queue
  virtual void sum_to(int root, double* values, std::size_t count) = 0;               // compute queue; others' values are undefined after
  virtual void sum_to_all(double* values, std::size_t count) = 0;                     // compute queue
};

}  // namespace assay::hplgpu
