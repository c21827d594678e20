#include "pic/kernels.hpp"

#include "hpl-gpu/launch.hpp"

namespace assay::pic {
namespace {

using hplgpu::launch;

constexpr int kThreads = 128;

__device__ std::size_t own() { return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void __launch_bounds__(kThreads) deposit(Grid grid, Markers markers, std::size_t count, unsigned long long* charge) {
  const std::size_t i = own();
  if (i >= count) return;
  each_corner(grid, markers.x[i], markers.y[i], markers.z[i],
              [&](int node, unsigned weight) { atomicAdd(charge + node, static_cast<unsigned long long>(weight)); });
}

__global__ void __launch_bounds__(kThreads) to_numbers(int cells, const unsigned long long* charge, double* numbers) {
  const std::size_t i = own();
  if (i < static_cast<std::size_t>(cells)) numbers[i] = static_cast<double>(charge[i]);
}

__global__ void __launch_bounds__(kThreads) to_density(int cells, const double* charge, double scale, Complex* density) {
  const std::size_t i = own();
  if (i < static_cast<std::size_t>(cells)) density[i] = {static_cast<float>(charge[i] * scale - 1), 0};
}

// One coefficient of the transform along one axis: lines are short, and every thread of a line reads the same numbers.
// stride: from point to point of a line. sign: -1 to coefficients, 1 back. blockIdx.y: which of several fields.
__global__ void __launch_bounds__(kThreads) transform(int cells, int stride, int length, float sign, const Complex* circle, const Complex* from, Complex* to) {
  const auto i = static_cast<int>(own());
  if (i >= cells) return;
  const std::size_t field = static_cast<std::size_t>(blockIdx.y) * cells;
  const int wave = i / stride % length;
  const Complex* line = from + field + (i - wave * stride);
  float re = 0, im = 0;
  for (int j = 0; j < length; ++j) {
    const Complex turn = circle[wave * j & (length - 1)];
    const Complex value = line[static_cast<std::size_t>(j) * stride];
    re += value.re * turn.re - sign * value.im * turn.im;
    im += value.im * turn.re + sign * value.re * turn.im;
  }
  to[field + i] = {re, im};
}

__global__ void __launch_bounds__(kThreads) to_forces(Grid grid, const Complex* density, Complex* forces, Complex* wave) {
  const auto i = static_cast<int>(own());
  const int cells = grid.cells();
  if (i >= cells) return;
  const float scale = 1 / static_cast<float>(cells);  // of a transform and back
  const WaveForce force = force_of(grid, i, {scale * density[i].re, scale * density[i].im});
  forces[i] = force.x;
  forces[cells + i] = force.y;
  forces[2 * cells + i] = force.z;
  if (i == wave_index(grid)) *wave = {2 * scale * density[i].re, 2 * scale * density[i].im};
}

__global__ void __launch_bounds__(kThreads) gather_components(int cells, const Complex* components, Force* forces) {
  const std::size_t i = own();
  const auto n = static_cast<std::size_t>(cells);
  if (i < n) forces[i] = {components[i].re, components[n + i].re, components[2 * n + i].re, 0};
}

__global__ void __launch_bounds__(kThreads) push_markers(Grid grid, Markers markers, std::size_t count, const Force* __restrict__ forces, float kick) {
  const std::size_t i = own();
  if (i < count) push(grid, markers, i, forces, kick);
}

dim3 blocks_for(std::size_t threads, unsigned fields = 1) { return dim3(static_cast<unsigned>((threads + kThreads - 1) / kThreads), fields); }

// Along all three axes; the result is in the other of the two.
void queue_transform(const Grid& grid, float sign, const Room& room, Complex* const (&fields)[2], unsigned count, cudaStream_t stream) {
  const int strides[] = {1, grid.nx, grid.nx * grid.ny};
  const int lengths[] = {grid.nx, grid.ny, grid.nz};
  for (int axis = 0; axis < 3; ++axis) {
    launch("transforming a field", transform, blocks_for(static_cast<std::size_t>(grid.cells()), count), dim3(kThreads), 0, stream, grid.cells(), strides[axis],
           lengths[axis], sign, room.circle[axis], static_cast<const Complex*>(fields[axis % 2]), fields[1 - axis % 2]);
  }
}

}  // namespace

void queue_deposit(const Grid& grid, const Markers& markers, std::size_t count, unsigned long long* charge, cudaStream_t stream) {
  launch("depositing charge", deposit, blocks_for(count), dim3(kThreads), 0, stream, grid, markers, count, charge);
}

void queue_numbers(const Grid& grid, const unsigned long long* charge, double* numbers, cudaStream_t stream) {
  launch("converting charge", to_numbers, blocks_for(static_cast<std::size_t>(grid.cells())), dim3(kThreads), 0, stream, grid.cells(), charge, numbers);
}

void queue_solve(const Grid& grid, const double* charge, double scale, const Room& room, Force* forces, Complex* wave, cudaStream_t stream) {
  const dim3 blocks = blocks_for(static_cast<std::size_t>(grid.cells()));
  launch("finding the density", to_density, blocks, dim3(kThreads), 0, stream, grid.cells(), charge, scale, room.density[0]);
  queue_transform(grid, -1, room, room.density, 1, stream);
  launch("solving for the forces", to_forces, blocks, dim3(kThreads), 0, stream, grid, static_cast<const Complex*>(room.density[1]), room.forces[0], wave);
  queue_transform(grid, 1, room, room.forces, 3, stream);
  launch("gathering forces", gather_components, blocks, dim3(kThreads), 0, stream, grid.cells(), static_cast<const Complex*>(room.forces[1]), forces);
}

void queue_push(const Grid& grid, const Markers& markers, std::size_t count, const Force* forces, float kick, cudaStream_t stream) {
  launch("pushing markers", push_markers, blocks_for(count), dim3(kThreads), 0, stream, grid, markers, count, forces, kick);
}

}  // namespace assay::pic
