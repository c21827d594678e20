#include "stencil-gpu/kernels.hpp"

#include "hpl-gpu/launch.hpp"

namespace assay::stencil {
namespace {

using hplgpu::launch;

constexpr int kThreadsX = 64;
constexpr int kThreadsZ = 4;
constexpr int kRowsPerBlock = 32;

// A thread walks along y and keeps the seven cells around it in registers. What it needs along x and z, other threads of the block read a few
// rows earlier, so it comes from the L1 cache.
// What a thread needs of one row further on, asked for before it is needed.
template <typename Real>
struct Ahead {
  Real cell;   // three rows on
  Real start;  // where the step began
};

// Rows that are asked for at once: memory answers late, and a multiprocessor must wait for some 30 kB at any time.
template <typename Real>
constexpr int kBatch = sizeof(Real) == 4 ? 4 : 2;
template <typename Real>
constexpr int kBlocks = sizeof(Real) == 4 ? 3 : 2;  // on a multiprocessor, which leaves each thread the registers for its rows

template <typename Real>
__global__ void __launch_bounds__(kThreadsX* kThreadsZ, kBlocks<Real>) stage(Weights<Real> w, Real share, const Real* start, const Real* __restrict__ now, Real* next,
                                                              int nx, int nz, int first, int last) {
  const int blocks_along_z = (nz + kThreadsZ - 1) / kThreadsZ;
  const int x = static_cast<int>(blockIdx.x * kThreadsX + threadIdx.x);
  const int z = static_cast<int>(blockIdx.y) % blocks_along_z * kThreadsZ + static_cast<int>(threadIdx.y);
  const int begin = first + static_cast<int>(blockIdx.y) / blocks_along_z * kRowsPerBlock;
  const int end = begin + kRowsPerBlock < last ? begin + kRowsPerBlock : last;
  if (x >= nx || z >= nz) return;
  const long long row = static_cast<long long>(nx) * nz;

  const auto around_x = [&](int by) { return z * nx + (x + by + nx) % nx; };
  const auto around_z = [&](int by) { return (z + by + nz) % nz * nx + x; };
  const int x0 = around_x(-3), x1 = around_x(-2), x2 = around_x(-1), x4 = around_x(1), x5 = around_x(2), x6 = around_x(3);
  const int z1 = around_z(-2), z2 = around_z(-1), z4 = around_z(1), z5 = around_z(2);
  const int here = z * nx + x;

  const Real* at = now + begin * row;
  const auto ahead_of = [&](int y) { return Ahead<Real>{now[(y + 3) * row + here], start == now ? Real{0} : start[y * row + here]}; };
  Real y0 = at[here - 3 * row], y1 = at[here - 2 * row], y2 = at[here - row], y3 = at[here], y4 = at[here + row], y5 = at[here + 2 * row];
  Ahead<Real> ahead[kBatch<Real>];
#pragma unroll
  for (int i = 0; i < kBatch<Real>; ++i) {
    if (begin + i < end) ahead[i] = ahead_of(begin + i);
  }
  for (int batch = begin; batch < end; batch += kBatch<Real>) {
    Ahead<Real> own[kBatch<Real>];
#pragma unroll
    for (int i = 0; i < kBatch<Real>; ++i) {
      own[i] = ahead[i];
      if (batch + kBatch<Real> + i < end) ahead[i] = ahead_of(batch + kBatch<Real> + i);
    }
#pragma unroll
    for (int i = 0; i < kBatch<Real>; ++i) {
      const int y = batch + i;
      if (y >= end) break;
      Real change = w.x[3] * y3 + w.x[0] * at[x0] + w.x[1] * at[x1] + w.x[2] * at[x2] + w.x[4] * at[x4] + w.x[5] * at[x5] + w.x[6] * at[x6];
      change += w.y[0] * y0 + w.y[1] * y1 + w.y[2] * y2 + w.y[4] * y4 + w.y[5] * y5 + w.y[6] * own[i].cell;
      change += w.z[1] * at[z1] + w.z[2] * at[z2] + w.z[4] * at[z4] + w.z[5] * at[z5];
      next[y * row + here] = (start == now ? y3 : own[i].start) + share * change;
      y0 = y1;
      y1 = y2;
      y2 = y3;
      y3 = y4;
      y4 = y5;
      y5 = own[i].cell;
      at += row;
    }
  }
}

}  // namespace

template <typename Real>
void queue_stage(const Weights<Real>& weights, Real share, const Real* start, const Real* now, Real* next, int nx, int nz, int first, int last,
                 cudaStream_t stream) {
  if (last <= first) return;
  const auto parts = [](int count, int of) { return static_cast<unsigned>((count + of - 1) / of); };
  const dim3 grid(parts(nx, kThreadsX), parts(nz, kThreadsZ) * parts(last - first, kRowsPerBlock));
  launch("advancing cells", stage<Real>, grid, dim3(kThreadsX, kThreadsZ), 0, stream, weights, share, start, now, next, nx, nz, first, last);
}

template void queue_stage(const Weights<float>&, float, const float*, const float*, float*, int, int, int, int, cudaStream_t);
template void queue_stage(const Weights<double>&, double, const double*, const double*, double*, int, int, int, int, cudaStream_t);

}  // namespace assay::stencil
