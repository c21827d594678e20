#include "npb/grid.hpp"

#include <algorithm>
#include <utility>

namespace assay::npb {
namespace {

// A layer of a grid across an axis: its ghosts along the axes before that one included, which are there by then.
struct Layer {
  Triple low;
  Triple high;  // one beyond
};

Layer layer_of(const Grid& grid, int axis, int at) {
  Layer layer{};
  for (int other = 0; other < 3; ++other) {
    const auto i = static_cast<std::size_t>(other);
    layer.low[i] = other < axis ? -1 : 0;
    layer.high[i] = other < axis ? grid.size[i] + 1 : grid.size[i];
  }
  layer.low[static_cast<std::size_t>(axis)] = at;
  layer.high[static_cast<std::size_t>(axis)] = at + 1;
  return layer;
}

std::vector<double> packed(const Grid& grid, const Layer& layer) {
  std::vector<double> values;
  for (int z = layer.low[2]; z < layer.high[2]; ++z) {
    for (int y = layer.low[1]; y < layer.high[1]; ++y) {
      const double* row = grid.row(y, z);
      values.insert(values.end(), row + layer.low[0], row + layer.high[0]);
    }
  }
  return values;
}

void unpack(const std::vector<double>& values, const Layer& layer, Grid& grid) {
  auto from = values.begin();
  const auto width = layer.high[0] - layer.low[0];
  for (int z = layer.low[2]; z < layer.high[2]; ++z) {
    for (int y = layer.low[1]; y < layer.high[1]; ++y, from += width) std::copy(from, from + width, grid.row(y, z) + layer.low[0]);
  }
}

void wrap_axis(Grid& grid, int axis) {
  const int size = grid.size[static_cast<std::size_t>(axis)];
  unpack(packed(grid, layer_of(grid, axis, size - 1)), layer_of(grid, axis, -1), grid);
  unpack(packed(grid, layer_of(grid, axis, 0)), layer_of(grid, axis, size), grid);
}

// Sums of the four points beside (x, y, z) in its plane across x, and of the four at the corners there: points of one row share them.
struct Around {
  const double *south, *north, *below, *above, *south_below, *south_above, *north_below, *north_above;

  Around(const Grid& grid, int y, int z)
      : south(grid.row(y - 1, z)), north(grid.row(y + 1, z)), below(grid.row(y, z - 1)), above(grid.row(y, z + 1)),
        south_below(grid.row(y - 1, z - 1)), south_above(grid.row(y - 1, z + 1)), north_below(grid.row(y + 1, z - 1)),
        north_above(grid.row(y + 1, z + 1)) {}

  void sum(int size, std::vector<double>& sides, std::vector<double>& corners) const {
    sides.resize(static_cast<std::size_t>(size) + 2);
    corners.resize(sides.size());
    for (int x = -1; x <= size; ++x) {
      sides[static_cast<std::size_t>(x + 1)] = south[x] + north[x] + below[x] + above[x];
      corners[static_cast<std::size_t>(x + 1)] = south_below[x] + north_below[x] + south_above[x] + north_above[x];
    }
  }
};

template <typename Visit>
void for_each_row(const Triple& size, Visit visit) {
  for (int z = 0; z < size[2]; ++z) {
    for (int y = 0; y < size[1]; ++y) visit(y, z);
  }
}

}  // namespace

Cube::Cube(const Team& team) : team_(team) {
  for (int left = team.size(), axis = 2; left > 1; left /= 2, axis = (axis + 2) % 3) ranks_[static_cast<std::size_t>(axis)] *= 2;
  place_ = place_of(team.rank());
}

Triple Cube::place_of(int rank) const { return {rank % ranks_[0], rank / ranks_[0] % ranks_[1], rank / ranks_[0] / ranks_[1]}; }

void Cube::wrap(Grid& grid) {
  for (int axis = 0; axis < 3; ++axis) wrap_axis(grid, axis);
}

void Cube::exchange(Grid& grid) const {
  for (int axis = 0, stride = 1; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    const int count = ranks_[i];
    if (count == 1) {
      wrap_axis(grid, axis);
      continue;
    }
    const int base = team_.rank() - place_[i] * stride;
    const int lower = base + (place_[i] + count - 1) % count * stride;
    const int upper = base + (place_[i] + 1) % count * stride;
    const auto swap = [&](int to, int sent, int from, int filled) {
      auto values = packed(grid, layer_of(grid, axis, sent));
      MPI_Sendrecv_replace(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, to, axis, from, axis, team_.communicator(), MPI_STATUS_IGNORE);
      unpack(values, layer_of(grid, axis, filled), grid);
    };
    swap(upper, grid.size[i] - 1, lower, -1);
    swap(lower, 0, upper, grid.size[i]);
    stride *= count;
  }
}

void Cube::gather(const Grid& part, Grid& whole) const {
  const Layer inside{{0, 0, 0}, part.size};
  auto own = packed(part, inside);
  std::vector<double> all(own.size() * static_cast<std::size_t>(team_.size()));
  const auto count = static_cast<int>(own.size());
  MPI_Allgather(own.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, team_.communicator());
  for (int rank = 0; rank < team_.size(); ++rank) {
    const auto place = place_of(rank);
    Layer layer{};
    for (std::size_t i = 0; i < 3; ++i) {
      layer.low[i] = place[i] * part.size[i];
      layer.high[i] = layer.low[i] + part.size[i];
    }
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank) * count;
    own.assign(first, first + count);
    unpack(own, layer, whole);
  }
  wrap(whole);
}

void subtract_operator(const Grid& u, const Grid& right, Grid& residual) {
  constexpr double kCenter = -8.0 / 3, kEdge = 1.0 / 6, kCorner = 1.0 / 12;  // 0 for the six nearest
  std::vector<double> sides, corners;
  for_each_row(u.size, [&](int y, int z) {
    Around(u, y, z).sum(u.size[0], sides, corners);
    const double *center = u.row(y, z), *from = right.row(y, z), *s = sides.data() + 1, *c = corners.data() + 1;
    double* to = residual.row(y, z);
    for (int x = 0; x < u.size[0]; ++x) {
      to[x] = from[x] - kCenter * center[x] - kEdge * (c[x] + s[x - 1] + s[x + 1]) - kCorner * (c[x - 1] + c[x + 1]);
    }
  });
}

void smooth(const Grid& residual, const std::array<double, 4>& smoother, Grid& u) {
  std::vector<double> sides, corners;
  for_each_row(u.size, [&](int y, int z) {  // the fourth coefficient is 0 in all classes
    Around(residual, y, z).sum(u.size[0], sides, corners);
    const double *r = residual.row(y, z), *s = sides.data() + 1, *c = corners.data() + 1;
    double* to = u.row(y, z);
    for (int x = 0; x < u.size[0]; ++x) {
      to[x] += smoother[0] * r[x] + smoother[1] * (r[x - 1] + r[x + 1] + s[x]) + smoother[2] * (c[x] + s[x - 1] + s[x + 1]);
    }
  });
}

void restrict_to(const Grid& fine, Grid& coarse) {
  std::vector<double> sides, corners;
  for_each_row(coarse.size, [&](int y, int z) {
    Around(fine, 2 * y + 1, 2 * z + 1).sum(fine.size[0], sides, corners);
    const double *f = fine.row(2 * y + 1, 2 * z + 1), *s = sides.data() + 1, *c = corners.data() + 1;
    double* to = coarse.row(y, z);
    for (int x = 0; x < coarse.size[0]; ++x) {
      const int i = 2 * x + 1;
      to[x] = 0.5 * f[i] + 0.25 * (f[i - 1] + f[i + 1] + s[i]) + 0.125 * (s[i - 1] + s[i + 1] + c[i]) + 0.0625 * (c[i - 1] + c[i + 1]);
    }
  });
}

// A fine point between coarse ones takes the mean of the two, four or eight around it.
void prolong(const Grid& coarse, const Triple& origin, Grid& fine) {
  std::vector<double> mean(static_cast<std::size_t>(fine.size[0] / 2) + 1);
  for_each_row(fine.size, [&](int y, int z) {
    const int high_y = origin[1] + y / 2, low_y = high_y - (y % 2 == 0 ? 1 : 0);
    const int high_z = origin[2] + z / 2, low_z = high_z - (z % 2 == 0 ? 1 : 0);
    const double *a = coarse.row(low_y, low_z), *b = coarse.row(high_y, low_z), *c = coarse.row(low_y, high_z), *d = coarse.row(high_y, high_z);
    for (std::size_t x = 0; x < mean.size(); ++x) {
      const auto i = origin[0] + static_cast<int>(x) - 1;
      mean[x] = 0.25 * (a[i] + b[i] + c[i] + d[i]);
    }
    double* to = fine.row(y, z);
    for (std::size_t x = 0; x + 1 < mean.size(); ++x) {
      to[2 * x] += 0.5 * (mean[x] + mean[x + 1]);
      to[2 * x + 1] += mean[x + 1];
    }
  });
}

}  // namespace assay::npb
