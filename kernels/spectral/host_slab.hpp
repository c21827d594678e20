// A slab in the host's memory: the same phases as on a GPU, one node after another.
#pragma once

#include <vector>

#include "spectral/solution.hpp"

namespace assay::spectral {

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
  const std::vector<Real>& element_forces() const { return element_forces_; }
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

  void compute(int element) {
    static const Rule<Real> rule = Rule<Real>::make();
    const MeshView<Real> view{mesh_.properties.data(), mesh_.points.data(), mesh_.count()};
    Scratch<Real> scratch;
    for (int i = 0; i < kNodes; ++i) scratch.displacement[i] = displacement_of(view, u_.data(), element, i);
    for (int i = 0; i < kNodes; ++i) put_fluxes(Node<Real>(i, rule), properties_of(view, element, i), scratch);
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
