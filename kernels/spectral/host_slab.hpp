// A slab in the host's memory, one node after another. For tests.
#pragma once

#include <vector>

#include "spectral/solution.hpp"

namespace assay::spectral {

// What the nodes of an element share.
template <typename Real>
struct Scratch {
  Vector<Real> displacement[kNodes];
  Vector<Real> flux[3][kNodes];
};

// What a node knows of its place in any element.
template <typename Real>
struct Node {
  int at;            // number
  int on_line[3];    // place on the line through it along each direction
  int line[3];       // number of the first node of that line
  Real rows[3][kEdge];  // of D, for its place on each line
  Real weight;

  static constexpr int step(int direction) { return direction == 0 ? 1 : direction == 1 ? kEdge : kEdge * kEdge; }

  Node(int number, const Rule<Real>& rule) : at(number), weight(1) {
    on_line[0] = number % kEdge;
    on_line[1] = number / kEdge % kEdge;
    on_line[2] = number / (kEdge * kEdge);
    for (int d = 0; d < 3; ++d) {
      line[d] = number - on_line[d] * step(d);
      for (int l = 0; l < kEdge; ++l) rows[d][l] = rule.derivatives[on_line[d]][l];
      weight *= rule.weights[on_line[d]];
    }
  }
};

// The derivative along direction d of a vector that the nodes of an element share.
template <typename Real>
Vector<Real> along(int d, const Node<Real>& node, const Vector<Real>* values) {
  Vector<Real> sum{0, 0, 0, 0};
  for (int l = 0; l < kEdge; ++l) {
    const Vector<Real> value = values[node.line[d] + l * Node<Real>::step(d)];
    sum.x += node.rows[d][l] * value.x;
    sum.y += node.rows[d][l] * value.y;
    sum.z += node.rows[d][l] * value.z;
  }
  return sum;
}

// From the displacements to the stress at a node.
template <typename Real>
void put_fluxes(const Node<Real>& node, const Properties<Real>& properties, Scratch<Real>& scratch) {
  const Vector<Real> slopes[3] = {along(0, node, scratch.displacement), along(1, node, scratch.displacement), along(2, node, scratch.displacement)};
  const Fluxes<Real> fluxes = fluxes_of(properties, slopes);
  for (int d = 0; d < 3; ++d) scratch.flux[d][node.at] = fluxes.through[d];
}

// From the stress to the force on a node.
template <typename Real>
Vector<Real> force_on(const Node<Real>& node, const Scratch<Real>& scratch) {
  constexpr Real kEndWeight = static_cast<Real>(1 / kWeights[0]);
  Vector<Real> force{0, 0, 0, 0};
  for (int d = 0; d < 3; ++d) {
    const Vector<Real> slope = along(d, node, scratch.flux[d]);
    const Real end = node.on_line[d] == 0 ? kEndWeight : node.on_line[d] == kOrder ? -kEndWeight : Real{0};
    const Vector<Real> here = scratch.flux[d][node.at];
    force.x += slope.x + end * here.x;
    force.y += slope.y + end * here.y;
    force.z += slope.z + end * here.z;
  }
  return {node.weight * force.x, node.weight * force.y, node.weight * force.z, 0};
}

template <typename Real>
class HostSlab {
 public:
  explicit HostSlab(const Shape& shape)
      : mesh_(make_mesh<Real>(shape)), u_(3 * points()), v_(3 * points()), forces_(3 * points()),
        element_forces_(static_cast<std::size_t>(forces_of(shape.elements()))) {
    set(exact(shape, mesh_.positions, 0));
  }

  const Mesh<Real>& mesh() const { return mesh_; }
  std::vector<Real>& displacements() { return u_; }
  // Of each point, but for what the neighbours add on the planes until add_planes().
  const std::vector<Real>& forces() const { return forces_; }

  void compute_forces() {
    for (int element = 0; element < mesh_.shape.elements(); ++element) compute(element);
    for (std::size_t i = 0; i < points(); ++i) {
      Vector<Real> sum{0, 0, 0, 0};
      for (int entry = mesh_.first_forces[i]; entry < mesh_.first_forces[i + 1]; ++entry) {
        const Real* from = element_forces_.data() + mesh_.forces[static_cast<std::size_t>(entry)];
        sum.x += from[0];
        sum.y += from[kStride];
        sum.z += from[2 * kStride];
      }
      forces_[i] = sum.x;
      forces_[points() + i] = sum.y;
      forces_[2 * points() + i] = sum.z;
    }
  }

  // Forces on one plane as they travel: x, y, z components.
  std::vector<Real> plane(bool is_top) const {
    std::vector<Real> values;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto begin = forces_.begin() + static_cast<std::ptrdiff_t>(c * points() + (is_top ? plane_points() : 0));
      values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(plane_points()));
    }
    return values;
  }

  void add_planes(const std::vector<Real>& from_above, const std::vector<Real>& from_below) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < plane_points(); ++i) {
        forces_[c * points() + i] += from_below[c * plane_points() + i];
        forces_[c * points() + plane_points() + i] += from_above[c * plane_points() + i];
      }
    }
  }

  void step() {
    const Real dt = static_cast<Real>(time_step());
    for (std::size_t at = 0; at < u_.size(); ++at) {
      v_[at] += dt * mesh_.inverse_mass[at % points()] * forces_[at];
      u_[at] += dt * v_[at];
    }
  }

  void set(const Fields& fields) {
    u_.assign(fields.displacements.begin(), fields.displacements.end());
    v_.assign(fields.velocities.begin(), fields.velocities.end());
  }
  Fields fields() const { return {{u_.begin(), u_.end()}, {v_.begin(), v_.end()}}; }
  double energy() const { return spectral::energy(mesh_, fields(), {forces_.begin(), forces_.end()}); }

 private:
  std::size_t points() const { return static_cast<std::size_t>(mesh_.count()); }
  std::size_t plane_points() const { return static_cast<std::size_t>(mesh_.shape.plane_points()); }

  Vector<Real> displacement_of(int element, int node) const {
    const auto point = static_cast<std::size_t>(mesh_.points[static_cast<std::size_t>(element * kStride + node)]);
    return {u_[point], u_[points() + point], u_[2 * points() + point], 0};
  }

  Properties<Real> properties_of(int element, int node) const {
    const Real* from = mesh_.properties.data() + static_cast<std::size_t>(element) * kQuantities * kStride + node;
    Properties<Real> properties;
    for (int q = 0; q < kQuantities; ++q) properties.of[q] = from[q * kStride];
    return properties;
  }

  void compute(int element) {
    static const Rule<Real> rule = Rule<Real>::make();
    Scratch<Real> scratch;
    for (int i = 0; i < kNodes; ++i) scratch.displacement[i] = displacement_of(element, i);
    for (int i = 0; i < kNodes; ++i) put_fluxes(Node<Real>(i, rule), properties_of(element, i), scratch);
    for (int i = 0; i < kNodes; ++i) {
      const Vector<Real> force = force_on(Node<Real>(i, rule), scratch);
      Real* to = element_forces_.data() + forces_of(element) + i;
      to[0] = force.x;
      to[kStride] = force.y;
      to[2 * kStride] = force.z;
    }
  }

  Mesh<Real> mesh_;
  std::vector<Real> u_, v_, forces_, element_forces_;
};

}  // namespace assay::spectral
