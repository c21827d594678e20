// What is known of the solution: the fields to start with, their error and their energy. Host code only.
#pragma once

#include <vector>

#include "spectral/mesh.hpp"

namespace assay::spectral {

// Displacements at a time step, and velocities half a step earlier: all x components, then y, then z.
struct Fields {
  std::vector<double> displacements;
  std::vector<double> velocities;
};

// After `steps` steps of a slab whose points are there.
Fields exact(const Shape& shape, const std::vector<Position>& positions, int steps);

// Sums of squares over the slab, to be added up over all slabs before the root of their ratio is taken.
struct Deviation {
  double error = 0;
  double norm = 0;
};
Deviation deviation(const std::vector<double>& displacements, const std::vector<double>& expected);

// What leapfrog conserves exactly, but for rounding: (v M w - u f) / 2, with v before and w = v + dt f / M after the step. Of this slab.
template <typename Real>
double energy(const Mesh<Real>& mesh, const Fields& fields, const std::vector<double>& forces);

// Figures of one slab's step. Operations: each addition and multiplication of element.hpp and of the step. Bytes: everything that a step needs,
// read once and written once.
struct Cost {
  double operations;
  double bytes;
};
Cost cost_of_step(const Shape& shape, std::size_t real_bytes);

}  // namespace assay::spectral
