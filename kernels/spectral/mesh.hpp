// One rank's slab of a periodic box of deformed hexahedra, as plain arrays. Host code only.
#pragma once

#include <array>
#include <vector>

#include "spectral/element.hpp"

namespace assay::spectral {

using Position = std::array<double, 3>;

// Every rank has a slab of edge x edge x layers elements, cubes of edge 1 before they are deformed; slabs lie on one another, and the top one
// meets the lowest.
struct Shape {
  int edge;
  int layers;  // at least 2
  int ranks;
  int rank;

  int layer_elements() const { return edge * edge; }
  int elements() const { return layer_elements() * layers; }
  int plane_points() const { return layer_elements() * kOrder * kOrder; }
  int points() const { return plane_points() * (kOrder * layers + 1); }
  Position box() const { return {1.0 * edge, 1.0 * edge, 1.0 * layers * ranks}; }
};

// A medium with density 1 and these speeds of its waves.
inline constexpr double kLambda = 1;
inline constexpr double kMu = 1;

// How far corners move, in edges of an element.
inline constexpr double kDeformation = 0.08;

// Arrays are by element, then quantity, then node, with kStride numbers for a quantity of an element.
// The lowest and the topmost elements come first, because their forces have to travel. Points of the lowest plane come first, then those of
// the topmost, which is the lowest of the next slab; the others follow in the order of their elements.
template <typename Real>
struct Mesh {
  Shape shape;
  std::vector<Real> properties;   // d xi / d x (9, by xi), J, lambda, mu
  std::vector<int> points;        // of each node of each element: its place in the fields
  std::vector<int> first_forces;  // of each point, and the end: where in `forces` its list begins
  std::vector<int> forces;        // where the x components lie that add up to the force on a point
  std::vector<Real> inverse_mass;
  std::vector<Position> positions;

  int count() const { return shape.points(); }
  double volume_share(int point) const;  // of a point's mass that is this slab's
};

template <typename Real>
Mesh<Real> make_mesh(const Shape& shape);

// The longest time step that the shortest distance of two points allows, with a margin.
double time_step();

}  // namespace assay::spectral
