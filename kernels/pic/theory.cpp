#include "pic/theory.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace assay::pic {
namespace {

// Odd, so that a row's neighbours have velocities far from its own.
constexpr int kStrideOfRows = 5;

// x with P(velocity < x) = p, by bisection: it is needed once for each velocity.
double quantile(double p) {
  double low = -10, high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Markers of one velocity: one in each cell of a row, all at the same place inside it.
struct Beam {
  double x, y, z;
  float v;
};

// Those of all rows, by velocity. A grid takes a beam for a wave of one cell's length, too, whose phase moves by a turn for every cell that the
// beam passes. At random places along x and z, what n beams leave of each other is 1 / sqrt(n) at all times. At regular ones (multiples of
// the golden ratio, reversed digits) it all adds up again once each beam has moved as far beyond the next one as that one stands ahead.
// (Birdsall and Langdon, Plasma Physics via Computer Simulation: chapter 8 for the grid's aliases, 16 for quiet starts.)
std::vector<Beam> beams_of(int j, const Grid& grid, int per_cell, int rank, int ranks) {
  std::vector<Beam> beams;
  const double across = std::fmod((j * ranks + rank) * 0.6180339887498949, 1.0);  // alike in all rows, or these would not lie evenly
  for (int row = 0; row < grid.ny; ++row) {
    const int number = (j * grid.ny + row) * ranks + rank;
    std::mt19937 generator(static_cast<unsigned>(number));
    const auto anywhere = [&] { return generator() / 4294967296.0; };
    const double x = anywhere(), z = anywhere();
    beams.push_back({x, across, z, static_cast<float>(quantile((number + 0.5) / (static_cast<double>(per_cell) * grid.ny * ranks)))});
  }
  return beams;
}

}  // namespace

Start quiet_start(const Grid& grid, int per_cell, int rank, int ranks) {
  const double k = 6.283185307179586477 / kWaveCells;  // per cell
  Start start;
  for (int j = 0; j < per_cell; ++j) {
    const auto beams = beams_of(j, grid, per_cell, rank, ranks);
    for (int cell = 0; cell < grid.cells(); ++cell) {
      const int row = cell / grid.nx % grid.ny;
      const Beam& beam = beams[static_cast<std::size_t>(row * kStrideOfRows % grid.ny)];
      const double x = cell % grid.nx + beam.x;
      const double y = row + beam.y;
      const double z = cell / (grid.nx * grid.ny) + beam.z;
      // A displacement along z whose slope is the density.
      const double shift = -kAmplitude / k * std::sin(k * (x + z));
      start.x.push_back(wrapped(static_cast<float>(x), grid.nx));
      start.y.push_back(wrapped(static_cast<float>(y), grid.ny));
      start.z.push_back(wrapped(static_cast<float>(z + shift), grid.nz));
      start.v.push_back(beam.v);
    }
  }
  return start;
}

// By the trapezoidal rule; at s = t the kernel is 0, so each value follows from earlier ones.
std::vector<double> theory(double kx, double kz, double remains, int steps, double dt) {
  const double response = kz * kz / (kx * kx + kz * kz) * remains * remains;
  const auto spread = [&](double t) { return std::exp(-kz * kz * t * t / 2); };
  std::vector<double> density{1};
  for (int n = 1; n <= steps; ++n) {
    double past = 0;
    for (int m = 0; m < n; ++m) {
      const double ago = (n - m) * dt;
      past += (m == 0 ? 0.5 : 1) * ago * spread(ago) * density[static_cast<std::size_t>(m)];
    }
    density.push_back(spread(n * dt) - response * past * dt);
  }
  return density;
}

std::vector<double> theory_on(int steps) {
  const double angle = 6.283185307179586477 / kWaveCells;
  const double ring = (1 + std::cos(angle * kRadius)) / 2;
  const double shape = std::pow(std::sin(angle / 2) / (angle / 2), 4);  // linear weights along x and z
  constexpr int kFiner = 4;
  const auto fine = theory(angle / kCell, angle / kCell, ring * shape, steps * kFiner, kTimeStep / kFiner);
  std::vector<double> density;
  for (std::size_t i = 0; i < fine.size(); i += kFiner) density.push_back(fine[i]);
  return density;
}

double wave_bound(const Grid& grid, int per_cell, int ranks) {
  constexpr double kOfMany = 0.03, kOfOne = 1.4;
  return std::max(kOfMany, kOfOne / std::sqrt(static_cast<double>(grid.ny) * per_cell * ranks));
}

}  // namespace assay::pic
