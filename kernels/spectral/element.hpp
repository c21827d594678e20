// The elastic forces of one element of 5 x 5 x 5 nodes. A GPU's thread has a column of nodes (columns.cu), the host takes one node after another
// (host_slab.hpp); what they share is here.
//
// Displacements u and the element's mesh give the strain, the strain gives the stress, and the forces are the stress's divergence in
// weak form:
//   F[d] = J sigma grad(xi_d)                     the stress through the surfaces xi_d = const
//   f    = W (sum over d of D_d F[d]) + ends      W: product of the three weights; D_d: derivative along xi_d
// The weak form has -w_l D_li F_l in place of w_i D_il F_l; the two differ by F at the ends of the line, because the rule of
// integration is exact for the product of two polynomials of which one is differentiated. So one row of D serves both
// derivatives.
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

template <typename Real>
struct alignas(4 * sizeof(Real)) Vector {
  Real x, y, z, unused;
};

template <typename Real>
struct Properties {
  Real of[kQuantities];
};

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

// The forces of an element lie here, component c at c * kStride + node.
ASSAY_HOST_DEVICE inline std::size_t forces_of(int element) { return static_cast<std::size_t>(element) * 3 * kStride; }

}  // namespace assay::spectral
