// The plasma, and what a marker does to the grid: functions of one marker that a GPU and the host share.
//
// Electrons that gyrate about a magnetic field along z are taken as rings of four points. Lengths are in cells, times in 1 / plasma frequency,
// charge and mass are 1 and velocities are multiples of the thermal one, so that a Debye length is 1 / kCell cells.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/host_device.hpp"

namespace assay::pic {

inline constexpr double kCell = 0.78539816339744830962;  // Debye lengths: 16 cells are a wave of k = 0.5
inline constexpr int kWaveCells = 16;
inline constexpr float kRadius = 1.5F;    // of a gyration, in cells
inline constexpr double kTimeStep = 0.1;
inline constexpr double kField = 4;       // magnetic: drifts are E / kField
inline constexpr double kAmplitude = 0.01;  // of the density to start with
inline constexpr int kRing = 4;

// Places inside a cell are whole multiples of 1 / kFine of it. So the weights of the eight corners are whole numbers that add up to kFine^3,
// and the charge on the grid is exact in any order of addition.
inline constexpr int kFine = 1024;
inline constexpr std::uint64_t kChargeOfMarker = std::uint64_t{kRing} * kFine * kFine * kFine;

// Powers of two, at least kWaveCells along x and z.
struct Grid {
  int nx, ny, nz;
  ASSAY_HOST_DEVICE int cells() const { return nx * ny * nz; }
};

struct Force {
  float x, y, z, unused;
};

// The lower corner's number along one axis, the upper's, and the weight of the upper one.
struct Side {
  int cell[2];
  unsigned weight[2];
};

ASSAY_HOST_DEVICE inline int cell_below(float at) { return at >= 0 ? static_cast<int>(at) : static_cast<int>(at) - 1; }
ASSAY_HOST_DEVICE inline unsigned fine_share(float inside) { return static_cast<unsigned>(inside * kFine + 0.5F); }

// For a place at `inside` (0 to 1) of this cell.
ASSAY_HOST_DEVICE inline Side side_at(int cell, float inside, int cells) {
  const unsigned upper = fine_share(inside);
  return {{cell & (cells - 1), (cell + 1) & (cells - 1)}, {static_cast<unsigned>(kFine) - upper, upper}};
}
ASSAY_HOST_DEVICE inline Side side_of(float at, int cells) {
  const int cell = cell_below(at);
  return side_at(cell, at - static_cast<float>(cell), cells);
}

// The two points of a ring along one axis. The radius is half a cell more than a whole number of them, so both points lie at the same place
// inside their cells, which are kRingWidth apart, and weigh their corners alike.
inline constexpr int kRingWidth = 3;
static_assert(2 * kRadius == kRingWidth, "points of a ring are whole cells apart");
struct RingPlace {
  int cell;      // of the lower point, counted from two cells below the marker's: 0 or 1
  float inside;
};
ASSAY_HOST_DEVICE inline RingPlace ring_place(float inside) {
  return inside < 0.5F ? RingPlace{0, inside + 0.5F} : RingPlace{1, inside - 0.5F};
}

// Calls visit(node, weight) for the corners around each point of the ring; the weights add up to kChargeOfMarker.
template <typename Visit>
ASSAY_HOST_DEVICE inline void each_corner(const Grid& grid, float x, float y, float z, Visit visit) {
  const Side along_z = side_of(z, grid.nz);
  const int cell_x = cell_below(x), cell_y = cell_below(y);
  const float in_x = x - static_cast<float>(cell_x), in_y = y - static_cast<float>(cell_y);
  const RingPlace ring_x = ring_place(in_x), ring_y = ring_place(in_y);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int point = 0; point < kRing; ++point) {
    const int by = point % 2 == 0 ? kRingWidth - 2 : -2;
    const Side along_x = point < 2 ? side_at(cell_x + by + ring_x.cell, ring_x.inside, grid.nx) : side_at(cell_x, in_x, grid.nx);
    const Side along_y = point < 2 ? side_at(cell_y, in_y, grid.ny) : side_at(cell_y + by + ring_y.cell, ring_y.inside, grid.ny);
    for (int corner = 0; corner < 8; ++corner) {
      const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
      const int node = (along_z.cell[k] * grid.ny + along_y.cell[j]) * grid.nx + along_x.cell[i];
      visit(node, along_x.weight[i] * along_y.weight[j] * along_z.weight[k]);
    }
  }
}

// Into [0, cells), for a marker that moved by less than the grid.
ASSAY_HOST_DEVICE inline float wrapped(float at, int cells) {
  const auto length = static_cast<float>(cells);
  return at < 0 ? at + length : at >= length ? at - length : at;
}

// The field of one wave number: from the density's coefficient to those of the force, -i k / k^2 times it. Whole waves along each axis.
struct Complex {
  float re, im;
};
struct WaveForce {
  Complex x, y, z;
};
ASSAY_HOST_DEVICE inline double wave_number(int index, int cells) {
  const int waves = index < cells / 2 ? index : index - cells;
  return 2 * index == cells ? 0 : 6.283185307179586477 * waves / (cells * kCell);  // the shortest wave has no slope on the grid
}
ASSAY_HOST_DEVICE inline WaveForce force_of(const Grid& grid, int index, const Complex& density) {
  const double kx = wave_number(index % grid.nx, grid.nx);
  const double ky = wave_number(index / grid.nx % grid.ny, grid.ny);
  const double kz = wave_number(index / (grid.nx * grid.ny), grid.nz);
  const double squared = kx * kx + ky * ky + kz * kz;
  const double scale = squared > 0 ? 1 / squared : 0;
  const auto along = [&](double k) { return Complex{static_cast<float>(k * scale) * density.im, static_cast<float>(-k * scale) * density.re}; };
  return {along(kx), along(ky), along(kz)};
}

// The wave to start with: kWaveCells long along x and z.
ASSAY_HOST_DEVICE inline int wave_index(const Grid& grid) { return grid.nz / kWaveCells * grid.nx * grid.ny + grid.nx / kWaveCells; }

}  // namespace assay::pic
