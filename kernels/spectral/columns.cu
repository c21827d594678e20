#include "hpl-gpu/launch.hpp"
#include "spectral/kernels.hpp"

namespace assay::spectral {
namespace {

using hplgpu::launch;

// How many blocks a multiprocessor is to hold: so few that the registers take the properties of a whole column, which a thread asks for at once.
template <typename Real>
constexpr int kBlocks = sizeof(Real) == 4 ? 4 : 2;

// What the columns of a pack share: derivatives along the first two directions go through here, those along the third stay in registers.
template <typename Real>
struct Layers {
  Real displacement[3][kEdge][kLayer];
  Real flux[2][3][kEdge][kLayer];
};

// What a thread knows of its column: rows of D for its place on the lines along the first two directions, and where these begin.
template <typename Real>
struct Column {
  Real rows[2][kEdge];
  int lines[2];
  Real weight;
  int x, y;

  __device__ Column(int thread, const Rule<Real>& rule) : x(thread % kEdge), y(thread / kEdge % kEdge) {
    ASSAY_UNROLL
    for (int l = 0; l < kEdge; ++l) {
      rows[0][l] = rule.derivatives[x][l];
      rows[1][l] = rule.derivatives[y][l];
    }
    lines[0] = thread - x;
    lines[1] = thread - y * kEdge;
    weight = rule.weights[x] * rule.weights[y];
  }

  // The flux at the ends of a line belongs to the derivative's row.
  __device__ void add_ends() {
    constexpr Real kEndWeight = static_cast<Real>(1 / kWeights[0]);
    rows[0][0] += x == 0 ? kEndWeight : 0;
    rows[0][kOrder] -= x == kOrder ? kEndWeight : 0;
    rows[1][0] += y == 0 ? kEndWeight : 0;
    rows[1][kOrder] -= y == kOrder ? kEndWeight : 0;
  }

  __device__ Real along(int d, const Real (&layer)[kLayer]) const {
    Real sum = 0;
    ASSAY_UNROLL
    for (int l = 0; l < kEdge; ++l) sum += rows[d][l] * layer[lines[d] + l * (d == 0 ? 1 : kEdge)];
    return sum;
  }
};

template <typename Real>
__device__ Real along_column(const Rule<Real>& rule, int k, const Real (&values)[kEdge]) {
  Real sum = 0;
  ASSAY_UNROLL
  for (int l = 0; l < kEdge; ++l) sum += rule.derivatives[k][l] * values[l];
  return sum;
}

// Leaves the cache to the fields, which are read again.
template <typename Real>
__device__ Real read_once(const Real* from) {
#ifdef __CUDA_ARCH__
  return __ldcs(from);
#else
  return *from;
#endif
}

// Of layer k of a column that begins at `from`.
template <typename Real>
__device__ Properties<Real> properties_at(const Real* from, int k) {
  Properties<Real> properties;
  ASSAY_UNROLL
  for (int q = 0; q < kQuantities; ++q) properties.of[q] = read_once(from + q * kPackNodes + k * kLayer);
  return properties;
}

template <typename Real>
__device__ void put_column_fluxes(const Column<Real>& column, const Rule<Real>& rule, const Properties<Real> (&properties)[kEdge],
                                  const Real (&u)[3][kEdge], int thread, Layers<Real>& layers, Real (&flux)[3][kEdge]) {
  ASSAY_UNROLL
  for (int k = 0; k < kEdge; ++k) {
    Vector<Real> slopes[3];
    ASSAY_UNROLL
    for (int d = 0; d < 2; ++d) {
      slopes[d] = {column.along(d, layers.displacement[0][k]), column.along(d, layers.displacement[1][k]), column.along(d, layers.displacement[2][k]),
                   0};
    }
    slopes[2] = {along_column(rule, k, u[0]), along_column(rule, k, u[1]), along_column(rule, k, u[2]), 0};
    const Fluxes<Real> fluxes = fluxes_of(properties[k], slopes);
    ASSAY_UNROLL
    for (int d = 0; d < 2; ++d) {
      layers.flux[d][0][k][thread] = fluxes.through[d].x;
      layers.flux[d][1][k][thread] = fluxes.through[d].y;
      layers.flux[d][2][k][thread] = fluxes.through[d].z;
    }
    flux[0][k] = fluxes.through[2].x;
    flux[1][k] = fluxes.through[2].y;
    flux[2][k] = fluxes.through[2].z;
  }
}

// A block takes a pack of elements, a thread one column of an element's nodes.
template <typename Real>
__global__ void __launch_bounds__(kLayer, kBlocks<Real>) pack_forces(SlabView<Real> slab, Packs packs, const Real* u, int first) {
  __shared__ Layers<Real> layers;
  const int pack = first + static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const bool is_column = thread < (packs.end_element(pack) - packs.first_element(pack)) * kColumns;
  const auto at = static_cast<std::size_t>(pack) * kPackNodes + static_cast<std::size_t>(thread);
  Column<Real> column(thread, slab.rule);
  Real own[3][kEdge];
  Properties<Real> properties[kEdge];
  const Real* from = slab.properties + static_cast<std::size_t>(pack) * kQuantities * kPackNodes + thread;
  if (is_column) {
    int points[kEdge];
    ASSAY_UNROLL
    for (int k = 0; k < kEdge; ++k) points[k] = slab.points[at + k * kLayer];
    ASSAY_UNROLL
    for (int k = 0; k < kEdge; ++k) properties[k] = properties_at(from, k);
    ASSAY_UNROLL
    for (int k = 0; k < kEdge; ++k) {
      ASSAY_UNROLL
      for (int c = 0; c < 3; ++c) layers.displacement[c][k][thread] = own[c][k] = u[c * slab.count + points[k]];
    }
  }
  __syncthreads();
  Real flux[3][kEdge];
  if (is_column) put_column_fluxes(column, slab.rule, properties, own, thread, layers, flux);
  __syncthreads();
  if (!is_column) return;
  column.add_ends();
  constexpr Real kEndWeight = static_cast<Real>(1 / kWeights[0]);
  Real* to = slab.element_forces + forces_of_pack(pack) + thread;
  ASSAY_UNROLL
  for (int k = 0; k < kEdge; ++k) {
    ASSAY_UNROLL
    for (int c = 0; c < 3; ++c) {
      Real force = column.along(0, layers.flux[0][c][k]) + column.along(1, layers.flux[1][c][k]) + along_column(slab.rule, k, flux[c]);
      if (k == 0) force += kEndWeight * flux[c][0];
      if (k == kOrder) force -= kEndWeight * flux[c][kOrder];
      to[c * kPackNodes + k * kLayer] = column.weight * slab.rule.weights[k] * force;
    }
  }
}

}  // namespace

template <typename Real>
void queue_pack_forces(const SlabView<Real>& slab, const Packs& packs, const Real* u, int first, int last, cudaStream_t stream) {
  if (last <= first) return;
  launch("computing the elements' forces", pack_forces<Real>, dim3(static_cast<unsigned>(last - first)), dim3(kLayer), 0, stream, slab, packs, u,
         first);
}

template void queue_pack_forces(const SlabView<float>&, const Packs&, const float*, int, int, cudaStream_t);
template void queue_pack_forces(const SlabView<double>&, const Packs&, const double*, int, int, cudaStream_t);

}  // namespace assay::spectral
