#include "pic/theory.hpp"

#include <cmath>

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

}  // namespace

Start quiet_start(const Grid& grid, int per_cell, int rank, int ranks) {
  const double k = 6.283185307179586477 / kWaveCells;  // per cell
  Start start;
  for (int j = 0; j < per_cell; ++j) {
    std::vector<float> velocities;
    for (int y = 0; y < grid.ny; ++y) velocities.push_back(static_cast<float>(quantile((j + (y + (rank + 0.5) / ranks) / grid.ny) / per_cell)));
    // Inside the cell, markers of one velocity stand elsewhere than those of the next.
    const double inside = std::fmod((j * ranks + rank) * 0.6180339887498949, 1.0);
    for (int cell = 0; cell < grid.cells(); ++cell) {
      const double x = cell % grid.nx + std::fmod(inside * 7, 1.0);
      const double y = cell / grid.nx % grid.ny + std::fmod(inside * 13, 1.0);
      const double z = cell / (grid.nx * grid.ny) + inside;
      // A displacement along z whose slope is the density.
      const double shift = -kAmplitude / k * std::sin(k * (x + z));
      start.x.push_back(wrapped(static_cast<float>(x), grid.nx));
      start.y.push_back(wrapped(static_cast<float>(y), grid.ny));
      start.z.push_back(wrapped(static_cast<float>(z + shift), grid.nz));
      start.v.push_back(velocities[static_cast<std::size_t>(cell / grid.nx % grid.ny * kStrideOfRows % grid.ny)]);
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

}  // namespace assay::pic
