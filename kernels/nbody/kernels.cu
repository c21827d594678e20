#include "nbody/kernels.hpp"

namespace assay::nbody {
namespace {

// About 20 correct bits, one instruction.
__device__ double approximate_rsqrt(double value) {
  double result;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(value));
  return result;
}

// acceleration += mass d / r^3. With y about 1/r and e = 1 - r^2 y^2 (about 2^-20), r^-3 = y^3 (1 - e)^(-3/2)
// = y^3 (1 + 3/2 e + 15/8 e^2 + ...): the terms left out are below the rounding of a double.
__device__ void attract(const Body& at, const Body& by, double softening_squared, Vector& acceleration) {
  const double dx = by.x - at.x;
  const double dy = by.y - at.y;
  const double dz = by.z - at.z;
  const double squared = fma(dx, dx, fma(dy, dy, fma(dz, dz, softening_squared)));
  const double y = approximate_rsqrt(squared);
  const double y2 = y * y;
  const double e = fma(-squared, y2, 1.0);
  const double rough = by.mass * y * y2;
  const double strength = fma(rough * e, fma(1.875, e, 1.5), rough);
  acceleration.x = fma(dx, strength, acceleration.x);
  acceleration.y = fma(dy, strength, acceleration.y);
  acceleration.z = fma(dz, strength, acceleration.z);
}

// Block (x, y): the kBodiesPerBlock targets from x * kBodiesPerBlock on, the y-th slice of the sources.
__global__ void __launch_bounds__(kThreads) accelerate(const Body* __restrict__ bodies, int first, int targets,
                                                       int sources_per_slice, double softening_squared,
                                                       Vector* __restrict__ partial) {
  __shared__ Body tile[kThreads];
  const int target = blockIdx.x * kBodiesPerBlock + threadIdx.x;
  Body at[kBodiesPerThread];
  Vector acceleration[kBodiesPerThread];
#pragma unroll
  for (int b = 0; b < kBodiesPerThread; ++b) {
    at[b] = bodies[first + target + b * kThreads];
    acceleration[b] = {0, 0, 0};
  }
  const int begin = blockIdx.y * sources_per_slice;
  for (int source = begin; source < begin + sources_per_slice; source += kThreads) {
    tile[threadIdx.x] = bodies[source + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kThreads; ++j) {
      const Body by = tile[j];
#pragma unroll
      for (int b = 0; b < kBodiesPerThread; ++b) attract(at[b], by, softening_squared, acceleration[b]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int b = 0; b < kBodiesPerThread; ++b) {
    partial[static_cast<std::size_t>(blockIdx.y) * targets + target + b * kThreads] = acceleration[b];
  }
}

__global__ void step(const Body* __restrict__ bodies, int first, int targets, int slices,
                     const Vector* __restrict__ partial, double time_step, Vector* __restrict__ velocities,
                     Vector* __restrict__ accelerations, Body* __restrict__ next) {
  const int target = blockIdx.x * blockDim.x + threadIdx.x;
  if (target >= targets) return;
  Vector sum{0, 0, 0};
  for (int slice = 0; slice < slices; ++slice) {
    const Vector term = partial[static_cast<std::size_t>(slice) * targets + target];
    sum = {sum.x + term.x, sum.y + term.y, sum.z + term.z};
  }
  accelerations[target] = sum;
  Vector v = velocities[target];
  v = {fma(sum.x, time_step, v.x), fma(sum.y, time_step, v.y), fma(sum.z, time_step, v.z)};
  velocities[target] = v;
  const Body body = bodies[first + target];
  next[first + target] = {fma(v.x, time_step, body.x), fma(v.y, time_step, body.y), fma(v.z, time_step, body.z), body.mass};
}

}  // namespace

void queue_accelerations(const Body* bodies, const Share& share, double softening_squared, Vector* partial,
                         const cuda::Stream& stream) {
  if (share.targets == 0) return;
  const cuda::OnDevice on(stream.device());
  const dim3 blocks(static_cast<unsigned>(share.targets / kBodiesPerBlock), static_cast<unsigned>(share.slices));
  const auto sources_per_slice = static_cast<int>(share.sources / static_cast<std::size_t>(share.slices));
  accelerate<<<blocks, kThreads, 0, stream.get()>>>(bodies, static_cast<int>(share.first), static_cast<int>(share.targets),
                                                    sources_per_slice, softening_squared, partial);
  cuda::check_launch("launching the accelerations");
}

void queue_step(const Body* bodies, const Share& share, const Vector* partial, double time_step, Vector* velocities,
                Vector* accelerations, Body* next, const cuda::Stream& stream) {
  if (share.targets == 0) return;
  const cuda::OnDevice on(stream.device());
  const auto blocks = static_cast<unsigned>((share.targets + kThreads - 1) / kThreads);
  step<<<blocks, kThreads, 0, stream.get()>>>(bodies, static_cast<int>(share.first), static_cast<int>(share.targets),
                                              share.slices, partial, time_step, velocities, accelerations, next);
  cuda::check_launch("launching the step");
}

}  // namespace assay::nbody
