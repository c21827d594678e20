#include "npb/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "npb/generator.hpp"

namespace assay::npb {
namespace {

constexpr double kConditionReciprocal = 0.1;

struct Entry {
  std::int64_t index;
  double value;
};

// One number of the sequence is drawn before the first vector.
class RandomVectors {
 public:
  explicit RandomVectors(const CgClass& problem) : problem_(problem), generator_(1) {
    while (scale_ < problem.order) scale_ *= 2;
  }

  // Distinct random places and values, and 1/2 at the place `center`.
  const std::vector<Entry>& next(std::int64_t center) {
    entries_.clear();
    while (entries_.size() < static_cast<std::size_t>(problem_.nonzeros)) {
      const double value = generator_.next();
      const auto index = static_cast<std::int64_t>(static_cast<double>(scale_) * generator_.next());
      if (index < problem_.order && find(index) == entries_.end()) entries_.push_back({index, value});
    }
    const auto known = find(center);
    if (known == entries_.end()) {
      entries_.push_back({center, 0.5});
    } else {
      known->value = 0.5;
    }
    return entries_;
  }

 private:
  std::vector<Entry>::iterator find(std::int64_t index) {
    return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.index == index; });
  }

  const CgClass& problem_;
  Generator generator_;
  std::int64_t scale_ = 1;
  std::vector<Entry> entries_;
};

// Every element that is added to this rank's block, in the order of the sum. The sequence is drawn anew each time, which costs
// less memory than to keep it.
void for_each_element(const CgClass& problem, const Layout& layout,
                      const std::function<void(std::int64_t row, std::int64_t column, double value)>& add) {
  RandomVectors vectors(problem);
  const double ratio = std::pow(kConditionReciprocal, 1.0 / static_cast<double>(problem.order));
  double size = 1;
  for (std::int64_t center = 0; center < problem.order; ++center, size *= ratio) {
    const auto& entries = vectors.next(center);
    for (const Entry& one : entries) {
      const auto row = layout.local_row(one.index);
      if (row < 0) continue;
      for (const Entry& other : entries) {
        const auto column = layout.local_column(other.index);
        if (column >= 0) add(row, column, one.value * (size * other.value));
      }
    }
    const auto row = layout.local_row(center);
    const auto column = layout.local_column(center);
    if (row >= 0 && column >= 0) add(row, column, kConditionReciprocal - problem.shift);
  }
}

// Adds up the elements of the same place, row by row.
void merge(Sparse& matrix) {
  std::int64_t filled = 0;
  std::vector<std::pair<std::int32_t, double>> row;
  for (std::size_t i = 0; i + 1 < matrix.starts.size(); ++i) {
    const auto end = matrix.starts[i + 1];
    row.clear();
    for (auto at = matrix.starts[i]; at < end; ++at) {
      row.emplace_back(matrix.columns[static_cast<std::size_t>(at)], matrix.values[static_cast<std::size_t>(at)]);
    }
    std::stable_sort(row.begin(), row.end(), [](const auto& one, const auto& other) { return one.first < other.first; });
    matrix.starts[i] = filled;
    for (const auto& [column, value] : row) {
      if (filled > matrix.starts[i] && matrix.columns[static_cast<std::size_t>(filled - 1)] == column) {
        matrix.values[static_cast<std::size_t>(filled - 1)] += value;
        continue;
      }
      matrix.columns[static_cast<std::size_t>(filled)] = column;
      matrix.values[static_cast<std::size_t>(filled++)] = value;
    }
  }
  matrix.starts.back() = filled;
  matrix.columns.resize(static_cast<std::size_t>(filled));
  matrix.values.resize(static_cast<std::size_t>(filled));
}

}  // namespace

Layout Layout::of(int ranks, int rank, std::int64_t order) {
  Layout layout;
  while (layout.grid_columns * layout.grid_columns < ranks) layout.grid_columns *= 2;
  layout.grid_rows = ranks / layout.grid_columns;
  layout.rank = rank;
  layout.order = order;
  layout.chunk = (order + ranks - 1) / ranks;
  return layout;
}

std::int64_t Layout::local_row(std::int64_t row) const {
  return row / row_count() == grid_row() ? row % row_count() : -1;
}

std::int64_t Layout::local_column(std::int64_t column) const {
  const auto owner = column / chunk;
  return owner % grid_columns == grid_column() ? owner / grid_columns * chunk + column % chunk : -1;
}

void Sparse::multiply(const std::vector<double>& vector, std::vector<double>& result) const {
  for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
    double sum = 0;
    const auto end = static_cast<std::size_t>(starts[row + 1]);
    for (auto at = static_cast<std::size_t>(starts[row]); at < end; ++at) {
      sum += values[at] * vector[static_cast<std::size_t>(columns[at])];
    }
    result[row] = sum;
  }
}

Sparse make_matrix(const CgClass& problem, const Layout& layout) {
  Sparse matrix;
  matrix.starts.assign(static_cast<std::size_t>(layout.row_count()) + 1, 0);
  for_each_element(problem, layout, [&](std::int64_t row, std::int64_t, double) { ++matrix.starts[static_cast<std::size_t>(row) + 1]; });
  for (std::size_t row = 1; row < matrix.starts.size(); ++row) matrix.starts[row] += matrix.starts[row - 1];
  matrix.columns.resize(static_cast<std::size_t>(matrix.starts.back()));
  matrix.values.resize(matrix.columns.size());
  std::vector<std::int64_t> next(matrix.starts.begin(), matrix.starts.end() - 1);
  for_each_element(problem, layout, [&](std::int64_t row, std::int64_t column, double value) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++);
    matrix.columns[at] = static_cast<std::int32_t>(column);
    matrix.values[at] = value;
  });
  merge(matrix);
  return matrix;
}

}  // namespace assay::npb
