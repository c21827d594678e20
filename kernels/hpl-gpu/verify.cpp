#include "hpl-gpu/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hpl-gpu/generator.hpp"

namespace assay::hplgpu {

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    most = std::max(most, std::abs(value));
  }
  return most;
}

Residual scaled(Residual norms, std::int64_t order) {
  constexpr double kEps = std::numeric_limits<double>::epsilon() / 2;
  norms.scaled = norms.difference / (kEps * (norms.matrix * norms.solution + norms.right_side) * static_cast<double>(order));
  return norms;
}

Residual residual_of(const std::vector<double>& products, const std::vector<double>& sums, const std::vector<double>& x) {
  const std::size_t order = x.size();
  std::vector<double> right_side(order), difference(order);
  std::uint64_t state = state_at(0, order, order);
  for (std::size_t i = 0; i < order; ++i) {
    right_side[i] = number_of(state);
    difference[i] = products[i] - right_side[i];
    state = kOneStep.from(state);
  }
  return scaled({largest(difference), largest(sums), largest(x), largest(right_side)}, static_cast<std::int64_t>(order));
}

Residual verify(const Layout& layout, Backend& backend, Team& team, const double* x, double* room) {
  const auto order = static_cast<std::size_t>(layout.order);
  double* const products = room;
  double* const sums = room + order;
  backend.clear(room, 2 * order);
  for (ColumnRun run : runs_of(layout, team.rank())) {
    run.count = std::min(run.count, layout.order - run.first);  // without b
    if (run.count > 0) backend.add_row_sums(run, layout.order, x + run.first, products, sums);
  }
  if (team.size() > 1) {
    backend.sum_to_all(products, order);
    backend.sum_to_all(sums, order);
  }
  return residual_of(backend.download(products, order), backend.download(sums, order), backend.download(x, order));
}

}  // namespace assay::hplgpu
