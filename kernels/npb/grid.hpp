// MG's grids: boxes of points with one layer of ghosts around, and what a V-cycle does with them. Indices of points begin at 0; the
// ghosts are at -1 and at the size.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "npb/team.hpp"

namespace assay::npb {

using Triple = std::array<int, 3>;  // along x, y, z

struct Grid {
  Triple size{};
  std::vector<double> values;

  Grid() = default;
  explicit Grid(const Triple& points)
      : size(points), values(static_cast<std::size_t>(points[0] + 2) * static_cast<std::size_t>(points[1] + 2) * static_cast<std::size_t>(points[2] + 2)) {}

  std::size_t index(int x, int y, int z) const {
    const auto row = static_cast<std::size_t>(z + 1) * static_cast<std::size_t>(size[1] + 2) + static_cast<std::size_t>(y + 1);
    return row * static_cast<std::size_t>(size[0] + 2) + static_cast<std::size_t>(x + 1);
  }
  double* row(int y, int z) { return values.data() + index(0, y, z); }
  const double* row(int y, int z) const { return values.data() + index(0, y, z); }
};

// Who has which part of a cube: 2^k ranks as a box of ranks.
class Cube {
 public:
  explicit Cube(const Team& team);

  const Triple& ranks() const { return ranks_; }
  Triple place_of(int rank) const;

  // Fills the ghosts from the neighbours, around the periodic cube.
  void exchange(Grid& grid) const;

  // The same for a grid that this rank has all of.
  static void wrap(Grid& grid);

  // All parts as one grid, on every rank.
  void gather(const Grid& part, Grid& whole) const;

 private:
  const Team& team_;
  Triple ranks_{1, 1, 1};
  Triple place_{};
};

// residual = right - A u; right and residual may be the same.
void subtract_operator(const Grid& u, const Grid& right, Grid& residual);

// u += S residual
void smooth(const Grid& residual, const std::array<double, 4>& smoother, Grid& u);

// The coarse point J is the fine point 2J + 1. coarse = P fine
void restrict_to(const Grid& fine, Grid& coarse);

// fine += Q coarse, from the coarse point `origin` on.
void prolong(const Grid& coarse, const Triple& origin, Grid& fine);

}  // namespace assay::npb
