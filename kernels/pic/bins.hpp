// Markers sorted by the cell that they are in, and what the markers of one cell do to the grid: functions of one cell that a GPU and the host share.
//
// 32 neighbouring cells along x keep their markers together: first one of each cell, then the next of each, up to `capacity`. So threads
// that take a cell each read whole lines. What a cell has no room for is spilled.
#pragma once

#include "pic/plasma.hpp"

namespace assay::pic {

struct alignas(16) Marker {
  float x, y, z, v;
};

inline constexpr int kBinWidth = 32;

struct Bins {
  Marker* markers;
  unsigned* counts;    // of each cell, with those that were spilled
  int capacity;        // of a cell
  Marker* spilled;
  unsigned* spills;    // how many
  unsigned most_spilled;

  ASSAY_HOST_DEVICE std::size_t place(int cell, int slot) const {
    return (static_cast<std::size_t>(cell / kBinWidth) * static_cast<std::size_t>(capacity) + static_cast<std::size_t>(slot)) * kBinWidth +
           static_cast<std::size_t>(cell % kBinWidth);
  }
  ASSAY_HOST_DEVICE int held(int cell) const {
    const unsigned count = counts[cell];
    return count < static_cast<unsigned>(capacity) ? static_cast<int>(count) : capacity;
  }
};

// Room for a quarter more than the mean.
inline constexpr int capacity_for(int per_cell) { return per_cell + per_cell / 4 + 8; }

// There is room for one marker in so many.
inline constexpr std::size_t kSpillShare = 32;

struct Home {
  int x, y, z;
  float in_x, in_y, in_z;
};
ASSAY_HOST_DEVICE inline Home home_of(const Grid& grid, const Marker& marker) {
  const int x = cell_below(marker.x), y = cell_below(marker.y), z = cell_below(marker.z);
  return {x & (grid.nx - 1), y & (grid.ny - 1), z & (grid.nz - 1),
          marker.x - static_cast<float>(x), marker.y - static_cast<float>(y), marker.z - static_cast<float>(z)};
}
ASSAY_HOST_DEVICE inline int cell_of(const Grid& grid, const Home& home) { return (home.z * grid.ny + home.y) * grid.nx + home.x; }

// Weights of the corners around a marker: lower, upper.
struct Weights {
  unsigned x[2], y[2], z[2];            // around its own place
  RingPlace ring_x, ring_y;
  unsigned at_ring_x[2], at_ring_y[2];  // around the points of its ring
};
ASSAY_HOST_DEVICE inline Weights weights_of(const Home& home) {
  constexpr auto kAll = static_cast<unsigned>(kFine);
  Weights w;
  w.ring_x = ring_place(home.in_x);
  w.ring_y = ring_place(home.in_y);
  w.x[1] = fine_share(home.in_x);
  w.y[1] = fine_share(home.in_y);
  w.z[1] = fine_share(home.in_z);
  w.at_ring_x[1] = fine_share(w.ring_x.inside);
  w.at_ring_y[1] = fine_share(w.ring_y.inside);
  w.x[0] = kAll - w.x[1];
  w.y[0] = kAll - w.y[1];
  w.z[0] = kAll - w.z[1];
  w.at_ring_x[0] = kAll - w.at_ring_x[1];
  w.at_ring_y[0] = kAll - w.at_ring_y[1];
  return w;
}

// Charge that the markers of a cell give to the corners around the lower points of their rings. The upper points give as much to the
// corners kRingWidth cells on. along_x[i][j][k] belongs to node (x - 2 + i, y + j, z + k), along_y[i][j][k] to (x + j, y - 2 + i, z + k).
struct CellCharge {
  unsigned long long along_x[3][2][2] = {};
  unsigned long long along_y[3][2][2] = {};
};
ASSAY_HOST_DEVICE inline void add_charge(const Weights& w, CellCharge& charge) {
  unsigned ring_x[3], ring_y[3];
  ring_x[0] = w.ring_x.cell == 0 ? w.at_ring_x[0] : 0;
  ring_x[1] = w.ring_x.cell == 0 ? w.at_ring_x[1] : w.at_ring_x[0];
  ring_x[2] = w.ring_x.cell == 0 ? 0 : w.at_ring_x[1];
  ring_y[0] = w.ring_y.cell == 0 ? w.at_ring_y[0] : 0;
  ring_y[1] = w.ring_y.cell == 0 ? w.at_ring_y[1] : w.at_ring_y[0];
  ring_y[2] = w.ring_y.cell == 0 ? 0 : w.at_ring_y[1];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int k = 0; k < 2; ++k) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int j = 0; j < 2; ++j) {
      const unsigned yz = w.y[j] * w.z[k], xz = w.x[j] * w.z[k];
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (int i = 0; i < 3; ++i) {
        charge.along_x[i][j][k] += static_cast<unsigned long long>(ring_x[i]) * yz;
        charge.along_y[i][j][k] += static_cast<unsigned long long>(ring_y[i]) * xz;
      }
    }
  }
}

// Calls visit(node, is_along_y, charge) for what is not 0.
template <typename Visit>
ASSAY_HOST_DEVICE inline void each_sum(const Grid& grid, int x, int y, int z, const CellCharge& charge, Visit visit) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int at = 0; at < 12; ++at) {
    const int i = at % 3, j = at / 3 % 2, k = at / 6;
    const auto node = [&](int by_x, int by_y) {
      return (((z + k) & (grid.nz - 1)) * grid.ny + ((y + by_y) & (grid.ny - 1))) * grid.nx + ((x + by_x) & (grid.nx - 1));
    };
    if (charge.along_x[i][j][k] != 0) visit(node(i - 2, j), false, charge.along_x[i][j][k]);
    if (charge.along_y[i][j][k] != 0) visit(node(j, i - 2), true, charge.along_y[i][j][k]);
  }
}

// One step of a marker: the mean force over its ring pushes it along the field, and lets it drift across.
// sum: of weights times forces around the ring. kick: the time that the velocity advances; half a step at first, because it stands half a step
// behind the place.
ASSAY_HOST_DEVICE inline Marker moved(const Grid& grid, const Marker& marker, const Force& sum, float kick) {
  constexpr float kScale = 1 / static_cast<float>(kChargeOfMarker);
  constexpr auto kStep = static_cast<float>(kTimeStep);
  constexpr auto kDrift = static_cast<float>(kTimeStep / kField / kCell) * kScale;
  const float v = marker.v + kick * kScale * sum.z;
  return {wrapped(marker.x + kDrift * sum.y, grid.nx), wrapped(marker.y - kDrift * sum.x, grid.ny),
          wrapped(marker.z + kStep / static_cast<float>(kCell) * v, grid.nz), v};
}

}  // namespace assay::pic
