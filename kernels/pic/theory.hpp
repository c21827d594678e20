// A quiet plasma to start with, and what linear theory says of its wave. Host code only.
#pragma once

#include <vector>

#include "pic/plasma.hpp"

namespace assay::pic {

// Coordinates of all markers of a rank: `per_cell` in each cell of the grid. All cells of a row along x have the same velocities, quantiles of a
// Maxwellian; those of other rows and ranks lie between them, so that no beams are left that could grow. Beams of neighbouring velocities stand
// at unrelated places inside their cells. Marker i starts in cell i % cells.
struct Start {
  std::vector<float> x, y, z, v;
};
Start quiet_start(const Grid& grid, int per_cell, int rank, int ranks);

// The wave's density at each time step, in units of the density to start with: the linearized Vlasov equation as an integral over the past,
//   n(t) = exp(-kz^2 t^2 / 2) - (kz G / k)^2 integral of (t - s) exp(-kz^2 (t - s)^2 / 2) n(s) ds
// G: what ring and grid leave of the wave, once for the charge and once for the force. Its decay is Landau's damping.
std::vector<double> theory(double kx, double kz, double remains, int steps, double dt);
std::vector<double> theory_on(int steps);  // of the wave on the grid

// How far the wave of such a start may lie from linear theory within 100 steps, in units of the density to start with. What the beams leave of
// each other falls with the square root of their number: the host has 0.087, 0.052, 0.050, 0.038, 0.018, 0.012, 0.011 with 32, 64, ... 2048 of
// them, about 0.5 / sqrt(beams), however many markers each has. The bound is nearly three times that, and never below 0.03.
double wave_bound(const Grid& grid, int per_cell, int ranks);

}  // namespace assay::pic
