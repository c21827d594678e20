#include "spectral/kernels.hpp"

#include "hpl-gpu/launch.hpp"

namespace assay::spectral {
namespace {

using hplgpu::launch;

constexpr int kPointThreads = 128;

template <typename Real>
__device__ Vector<Real> sum_of_elements(const SlabView<Real>& slab, int point) {
  Vector<Real> sum{0, 0, 0, 0};
  for (int entry = slab.first_forces[point]; entry < slab.first_forces[point + 1]; ++entry) {
    const Real* from = slab.element_forces + slab.forces[entry];
    sum.x += from[0];
    sum.y += from[kPackNodes];
    sum.z += from[2 * kPackNodes];
  }
  return sum;
}

// On a plane, both slabs add the same two numbers. A slab that meets itself needs nothing to travel.
template <typename Real>
__device__ Vector<Real> force_on_point(const SlabView<Real>& slab, int point) {
  const int plane = slab.plane_points;
  if (point >= 2 * plane) return sum_of_elements(slab, point);
  const bool is_top = point >= plane;
  const int in_plane = is_top ? point - plane : point;
  if (slab.from_above == nullptr) {
    const Vector<Real> below = sum_of_elements(slab, in_plane), above = sum_of_elements(slab, plane + in_plane);
    return {below.x + above.x, below.y + above.y, below.z + above.z, 0};
  }
  const Real* own = slab.own_planes + (is_top ? 3 * plane : 0) + in_plane;
  const Real* other = (is_top ? slab.from_above : slab.from_below) + in_plane;
  return {own[0] + other[0], own[plane] + other[plane], own[2 * plane] + other[2 * plane], 0};
}

template <typename Real>
__global__ void __launch_bounds__(kPointThreads) add_planes(SlabView<Real> slab) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int plane = slab.plane_points;
  if (point >= 2 * plane) return;
  const Vector<Real> sum = sum_of_elements(slab, point);
  Real* to = slab.own_planes + (point < plane ? point : 3 * plane + point - plane);
  to[0] = sum.x;
  to[plane] = sum.y;
  to[2 * plane] = sum.z;
}

template <typename Real>
__global__ void __launch_bounds__(kPointThreads) move_points(SlabView<Real> slab, Real dt, Real* u, Real* v) {
  const int count = slab.count;
  // Backwards: what the elements wrote last is still in the cache, and what is written last here is what the elements read first.
  const int point = count - 1 - static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (point < 0) return;
  const int at[3] = {point, count + point, 2 * count + point};
  const Real scale = dt * slab.inverse_mass[point];
  const Real before[3] = {v[at[0]], v[at[1]], v[at[2]]}, from[3] = {u[at[0]], u[at[1]], u[at[2]]};  // while the forces are looked for
  const Vector<Real> force = force_on_point(slab, point);
  const auto move = [&](int c, Real component) {
    const Real velocity = before[c] + scale * component;
    v[at[c]] = velocity;
    u[at[c]] = from[c] + dt * velocity;
  };
  move(0, force.x);
  move(1, force.y);
  move(2, force.z);
}

template <typename Real>
__global__ void __launch_bounds__(kPointThreads) put_forces(SlabView<Real> slab, Real* forces) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int count = slab.count;
  if (point >= count) return;
  const Vector<Real> force = force_on_point(slab, point);
  forces[point] = force.x;
  forces[count + point] = force.y;
  forces[2 * count + point] = force.z;
}

dim3 blocks_for(int points) { return dim3(static_cast<unsigned>((points + kPointThreads - 1) / kPointThreads)); }

}  // namespace

template <typename Real>
void queue_planes(const SlabView<Real>& slab, cudaStream_t stream) {
  launch("adding up forces on planes", add_planes<Real>, blocks_for(2 * slab.plane_points), dim3(kPointThreads), 0, stream, slab);
}

template <typename Real>
void queue_step(const SlabView<Real>& slab, Real dt, Real* u, Real* v, cudaStream_t stream) {
  launch("moving points", move_points<Real>, blocks_for(slab.count), dim3(kPointThreads), 0, stream, slab, dt, u, v);
}

template <typename Real>
void queue_forces(const SlabView<Real>& slab, Real* forces, cudaStream_t stream) {
  launch("adding up forces", put_forces<Real>, blocks_for(slab.count), dim3(kPointThreads), 0, stream, slab, forces);
}

template void queue_planes(const SlabView<float>&, cudaStream_t);
template void queue_planes(const SlabView<double>&, cudaStream_t);
template void queue_step(const SlabView<float>&, float, float*, float*, cudaStream_t);
template void queue_step(const SlabView<double>&, double, double*, double*, cudaStream_t);
template void queue_forces(const SlabView<float>&, float*, cudaStream_t);
template void queue_forces(const SlabView<double>&, double*, cudaStream_t);

}  // namespace assay::spectral
