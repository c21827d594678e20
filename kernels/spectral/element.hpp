// The elastic forces of one element, in three phases with a barrier between them. A phase is a function of one of the element's 125 nodes:
// on a GPU a thread is a node, the host loops over them. Both do the same operations in the same order.
//
// Displacements u and the element's mesh give the strain, the strain gives the stress, and the forces are the stress's divergence in
// weak form:
//   F[d] = J sigma grad(xi_d)                     the stress through the surfaces xi_d = const
//   f    = W (sum over d of D_d F[d]) + ends      W: product of the three weights; D_d: derivative along xi_d
// The weak form has -w_l D_li F_l in place of w_i D_il F_l; the two differ by F at the ends of the line, because the rule of
// integration is exact for the product of two polynomials of which one is differentiated. So one row of D serves both phases.
#pragma once

#include <cstddef>

#include "common/host_device.hpp"
#include "spectral/gll.hpp"

// Loops over what lies in registers must be unrolled: nothing there has an address.
#ifdef __CUDA_ARCH__
#define ASSAY_UNROLL _Pragma("unroll")
#else
#define ASSAY_UNROLL
#endif

namespace assay::spectral {

inline constexpr int kStride = 128;  // between two quantities of an element: the nodes, and three of padding so that lines are whole
inline constexpr int kQuantities = 12;

// What a kernel sees of a slab's mesh. All arrays are by element, then quantity, then node.
template <typename Real>
struct MeshView {
  const Real* properties;  // d xi / d x (9, by xi), J, lambda, mu
  const int* points;       // of each node: its place in the fields
  int count;               // of points
};

template <typename Real>
struct alignas(4 * sizeof(Real)) Vector {
  Real x, y, z, unused;
};

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

  ASSAY_HOST_DEVICE static constexpr int step(int direction) { return direction == 0 ? 1 : direction == 1 ? kEdge : kEdge * kEdge; }

  ASSAY_HOST_DEVICE Node(int number, const Rule<Real>& rule) : at(number), weight(1) {
    on_line[0] = number % kEdge;
    on_line[1] = number / kEdge % kEdge;
    on_line[2] = number / (kEdge * kEdge);
    ASSAY_UNROLL
    for (int d = 0; d < 3; ++d) {
      line[d] = number - on_line[d] * step(d);
      ASSAY_UNROLL
      for (int l = 0; l < kEdge; ++l) rows[d][l] = rule.derivatives[on_line[d]][l];
      weight *= rule.weights[on_line[d]];
    }
  }
};

// Phase 1.
template <typename Real>
ASSAY_HOST_DEVICE inline Vector<Real> displacement_of(const MeshView<Real>& mesh, const Real* u, int element, int node) {
  const int point = mesh.points[static_cast<std::size_t>(element) * kStride + node];
  return {u[point], u[mesh.count + point], u[2 * mesh.count + point], 0};
}

// Leaves the cache to the fields, which are read again.
template <typename Real>
ASSAY_HOST_DEVICE inline Real read_once(const Real* from) {
#ifdef __CUDA_ARCH__
  return __ldcs(from);
#else
  return *from;
#endif
}

template <typename Real>
struct Properties {
  Real of[kQuantities];
};

template <typename Real>
ASSAY_HOST_DEVICE inline Properties<Real> properties_of(const MeshView<Real>& mesh, int element, int node) {
  const Real* from = mesh.properties + static_cast<std::size_t>(element) * kQuantities * kStride + node;
  Properties<Real> properties;
  ASSAY_UNROLL
  for (int q = 0; q < kQuantities; ++q) properties.of[q] = read_once(from + q * kStride);
  return properties;
}

// The derivative along direction d of a vector that the nodes of an element share.
template <typename Real>
ASSAY_HOST_DEVICE inline Vector<Real> along(int d, const Node<Real>& node, const Vector<Real>* values) {
  Vector<Real> sum{0, 0, 0, 0};
  ASSAY_UNROLL
  for (int l = 0; l < kEdge; ++l) {
    const Vector<Real> value = values[node.line[d] + l * Node<Real>::step(d)];
    sum.x += node.rows[d][l] * value.x;
    sum.y += node.rows[d][l] * value.y;
    sum.z += node.rows[d][l] * value.z;
  }
  return sum;
}

// The stress at a node, as it flows through the three surfaces, from the displacement's derivatives along the three directions.
template <typename Real>
struct Fluxes {
  Vector<Real> through[3];
};
template <typename Real>
ASSAY_HOST_DEVICE inline Fluxes<Real> fluxes_of(const Properties<Real>& properties, const Vector<Real> (&slopes)[3]) {
  const Real* xi = properties.of;  // d xi_d / d x_c at 3 d + c
  Real gradient[3][3] = {};        // d u_a / d x_c
  ASSAY_UNROLL
  for (int d = 0; d < 3; ++d) {
    ASSAY_UNROLL
    for (int c = 0; c < 3; ++c) {
      gradient[0][c] += slopes[d].x * xi[3 * d + c];
      gradient[1][c] += slopes[d].y * xi[3 * d + c];
      gradient[2][c] += slopes[d].z * xi[3 * d + c];
    }
  }
  const Real jacobian = properties.of[9];
  const Real mu = properties.of[11];
  const Real pressure = properties.of[10] * (gradient[0][0] + gradient[1][1] + gradient[2][2]);
  const Real xx = pressure + 2 * mu * gradient[0][0];
  const Real yy = pressure + 2 * mu * gradient[1][1];
  const Real zz = pressure + 2 * mu * gradient[2][2];
  const Real xy = mu * (gradient[0][1] + gradient[1][0]);
  const Real xz = mu * (gradient[0][2] + gradient[2][0]);
  const Real yz = mu * (gradient[1][2] + gradient[2][1]);
  Fluxes<Real> fluxes;
  ASSAY_UNROLL
  for (int d = 0; d < 3; ++d) {
    const Real a = jacobian * xi[3 * d];
    const Real b = jacobian * xi[3 * d + 1];
    const Real c = jacobian * xi[3 * d + 2];
    fluxes.through[d] = {xx * a + xy * b + xz * c, xy * a + yy * b + yz * c, xz * a + yz * b + zz * c, 0};
  }
  return fluxes;
}

// Phase 2.
template <typename Real>
ASSAY_HOST_DEVICE inline void put_fluxes(const Node<Real>& node, const Properties<Real>& properties, Scratch<Real>& scratch) {
  const Vector<Real> slopes[3] = {along(0, node, scratch.displacement), along(1, node, scratch.displacement), along(2, node, scratch.displacement)};
  const Fluxes<Real> fluxes = fluxes_of(properties, slopes);
  ASSAY_UNROLL
  for (int d = 0; d < 3; ++d) scratch.flux[d][node.at] = fluxes.through[d];
}

// Phase 3: the force on a node.
template <typename Real>
ASSAY_HOST_DEVICE inline Vector<Real> force_on(const Node<Real>& node, const Scratch<Real>& scratch) {
  constexpr Real kEndWeight = static_cast<Real>(1 / kWeights[0]);
  Vector<Real> force{0, 0, 0, 0};
  ASSAY_UNROLL
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

// The forces of an element lie here, component c at c * kStride + node.
ASSAY_HOST_DEVICE inline std::size_t forces_of(int element) { return static_cast<std::size_t>(element) * 3 * kStride; }

}  // namespace assay::spectral
