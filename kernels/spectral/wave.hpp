// The exact solution: a pressure wave and a shear wave in a periodic box. Host code only.
#pragma once

#include <array>
#include <cmath>

#include "spectral/mesh.hpp"

namespace assay::spectral {

struct PlaneWave {
  Position k;
  Position direction;  // of the displacement
  double speed;
  double phase;
};

// Waves of the box: `waves` along x, y and z. The number along z differs from that of the ranks, so that every slab sees another phase.
inline std::array<PlaneWave, 2> waves_of(const Shape& shape) {
  constexpr double kTwoPi = 6.283185307179586477;
  const Position box = shape.box();
  const auto k_of = [&](double x, double y, double z) { return Position{kTwoPi * x / box[0], kTwoPi * y / box[1], kTwoPi * z / box[2]}; };
  const auto unit = [](const Position& v) {
    const double length = std::hypot(v[0], v[1], v[2]);
    return Position{v[0] / length, v[1] / length, v[2] / length};
  };
  const Position pressure = k_of(1, 1, shape.ranks + 1);
  const Position shear = k_of(1, -1, shape.ranks + 1);
  const Position across = unit({shear[1] * 0.5 - shear[2] * 0.25, shear[2] - shear[0] * 0.5, shear[0] * 0.25 - shear[1]});  // shear x (1, 1/4, 1/2)
  return {PlaneWave{pressure, unit(pressure), std::sqrt(kLambda + 2 * kMu), 0.3}, PlaneWave{shear, across, std::sqrt(kMu), 1.1}};
}

// Displacement at a place after `steps` time steps. The frequency is that of the leapfrog scheme, sin(w' dt / 2) = w dt / 2: what remains as
// an error is that of the elements, and rounding.
inline Position displacement_at(const std::array<PlaneWave, 2>& waves, const Position& at, double steps, double dt) {
  Position sum{};
  for (const PlaneWave& wave : waves) {
    const double k = std::hypot(wave.k[0], wave.k[1], wave.k[2]);
    const double angle = 2 * std::asin(wave.speed * k * dt / 2) * steps;  // w' t
    const double value = std::cos(wave.k[0] * at[0] + wave.k[1] * at[1] + wave.k[2] * at[2] - angle + wave.phase);
    for (int c = 0; c < 3; ++c) sum[c] += value * wave.direction[c];
  }
  return sum;
}

}  // namespace assay::spectral
