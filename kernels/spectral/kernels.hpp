// The GPU's part of a slab. All calls queue on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include "spectral/packs.hpp"

namespace assay::spectral {

// A slab in a GPU's memory, its elements in packs. Fields have their x components first, then y, then z.
template <typename Real>
struct SlabView {
  const Real* properties;
  const int* points;  // of each node: its place in the fields
  int count;          // of points
  Rule<Real> rule;
  const int* first_forces;
  const int* forces;
  const Real* inverse_mass;
  Real* element_forces;
  Real* own_planes;       // forces of this slab on its lowest and its topmost plane
  const Real* from_above; // forces of the next slab on this slab's topmost plane; null: the slab meets itself
  const Real* from_below;
  int plane_points;
};

// Forces of the elements in packs [first, last).
template <typename Real>
void queue_pack_forces(const SlabView<Real>& slab, const Packs& packs, const Real* u, int first, int last, cudaStream_t stream);

// Adds up the forces on the points of both planes, into own_planes.
template <typename Real>
void queue_planes(const SlabView<Real>& slab, cudaStream_t stream);

// A step of leapfrog for each point: v += dt a, u += dt v.
template <typename Real>
void queue_step(const SlabView<Real>& slab, Real dt, Real* u, Real* v, cudaStream_t stream);

// The force on each point.
template <typename Real>
void queue_forces(const SlabView<Real>& slab, Real* forces, cudaStream_t stream);

}  // namespace assay::spectral
