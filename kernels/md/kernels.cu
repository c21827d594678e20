#include "common/cuda/block_sum.cuh"
#include "md/kernels.hpp"

namespace assay::md {
namespace {

constexpr int kThreads = 256;
static_assert(kThreads == kAtomsPerBlock, "a thread block is a cube of cells: see touches_edge()");
static_assert(kMostNeighbours % kBatch == 0);

// Whether the cube of cells of this thread block touches an edge of the box in x or y, beyond which there are images.
__device__ bool touches_edge() {
  const int x = blockIdx.x % kBlocksAcross;
  const int y = blockIdx.x / kBlocksAcross % kBlocksAcross;
  return x == 0 || x == kBlocksAcross - 1 || y == 0 || y == kBlocksAcross - 1;
}

template <bool AcrossEdge>
__device__ double nearest(double distance) {
  if constexpr (!AcrossEdge) return distance;
  return distance - (fabs(distance) > kWidth / 2 ? copysign(kWidth, distance) : 0.0);
}

struct Difference {
  double x, y, z, squared;
};

template <bool AcrossEdge>
__device__ Difference difference(const Position& at, const Position& by) {
  const double x = nearest<AcrossEdge>(at.x - by.x);
  const double y = nearest<AcrossEdge>(at.y - by.y);
  const double z = at.z - by.z;
  return {x, y, z, fma(x, x, fma(y, y, z * z))};
}

// 1 / value to the last bit or two: one approximation and one step of third order.
__device__ double reciprocal(double value) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(value));
  const double e = fma(-value, y, 1.0);
  return fma(fma(e, e, e), y, y);
}

// Atoms stay close to their sites, so whatever is closer than kLongestListed lies in a cell at most two away.
__global__ void __launch_bounds__(kThreads) list_neighbours(const Position* __restrict__ positions, int layers,
                                                            NeighbourList list) {
  const int atoms = gridDim.x * kThreads;
  const int atom = blockIdx.x * kThreads + threadIdx.x;
  const Position at = positions[atom];
  const Cell home = cell_of(atom);
  int count = 0;
  const auto add = [&](int other) {
    if (count < kMostNeighbours) list.entries[static_cast<std::size_t>(count) * atoms + atom] = other;
    ++count;
  };
  for (int dz = -2; dz <= 2; ++dz) {
    for (int dy = -2; dy <= 2; ++dy) {
      for (int dx = -2; dx <= 2; ++dx) {
        const int first = first_atom_of({(home.x + dx + kCellsAcross) % kCellsAcross,
                                         (home.y + dy + kCellsAcross) % kCellsAcross, home.z + dz}, layers);
        for (int other = first; other < first + kAtomsPerCell; ++other) {
          if (other != atom && difference<true>(at, positions[other]).squared < kLongestListed * kLongestListed) add(other);
        }
      }
    }
  }
  list.counts[atom] = count;
  const int far_away = atoms + 2 * kAtomsPerBand;
  while (count % kBatch != 0) add(far_away);
}

template <bool AcrossEdge>
__device__ Vector force_on(int atom, int atoms, const Position& at, const Position* __restrict__ positions,
                           const int* __restrict__ entries, int count) {
  Vector force{0, 0, 0};
  const int* entry = entries + atom;
  int index[kBatch];
  const auto next_batch = [&] {
#pragma unroll
    for (int i = 0; i < kBatch; ++i, entry += atoms) index[i] = __ldcs(entry);
  };
  next_batch();
  for (int k = 0; k < count; k += kBatch) {
    Position by[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) by[i] = positions[index[i]];
    next_batch();
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const Difference d = difference<AcrossEdge>(at, by[i]);
      const double second = reciprocal(d.squared);
      const double sixth = second * second * second;
      double strength = second * sixth * fma(48.0, sixth, -24.0);
      strength = d.squared < kCutoff * kCutoff ? strength : 0.0;
      force.x = fma(strength, d.x, force.x);
      force.y = fma(strength, d.y, force.y);
      force.z = fma(strength, d.z, force.z);
    }
  }
  return force;
}

__global__ void __launch_bounds__(kThreads) step(const Position* __restrict__ positions, const int* __restrict__ entries,
                                                 const int* __restrict__ counts, double kick, double drift,
                                                 Vector* __restrict__ velocities, Position* __restrict__ next,
                                                 Vector* __restrict__ forces) {
  const int atoms = gridDim.x * kThreads;
  const int atom = blockIdx.x * kThreads + threadIdx.x;
  const Position at = positions[atom];
  const Vector force = touches_edge() ? force_on<true>(atom, atoms, at, positions, entries, counts[atom])
                                      : force_on<false>(atom, atoms, at, positions, entries, counts[atom]);
  Vector v = velocities[atom];
  v = {fma(kick, force.x, v.x), fma(kick, force.y, v.y), fma(kick, force.z, v.z)};
  velocities[atom] = v;
  next[atom] = {fma(drift, v.x, at.x), fma(drift, v.y, at.y), fma(drift, v.z, at.z), 0};
  if (forces != nullptr) forces[atom] = force;
}

__global__ void shift_halo(Position* halo, double height) {
  const int atom = blockIdx.x * blockDim.x + threadIdx.x;
  halo[atom].z += atom < kAtomsPerBand ? -height : height;
}

__global__ void __launch_bounds__(kThreads) add_up(const Position* __restrict__ positions,
                                                   const Position* __restrict__ listed_at, NeighbourList list,
                                                   const Vector* __restrict__ velocities, Totals* __restrict__ totals) {
  const int atoms = gridDim.x * kThreads;
  const int atom = blockIdx.x * kThreads + threadIdx.x;
  const Position at = positions[atom];
  const Vector v = velocities[atom];
  constexpr double kSecondAtCutoff = 1 / (kCutoff * kCutoff);
  constexpr double kSixthAtCutoff = kSecondAtCutoff * kSecondAtCutoff * kSecondAtCutoff;
  constexpr double kPotentialAtCutoff = 4 * kSixthAtCutoff * (kSixthAtCutoff - 1);
  double energy = 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z);
  double inside = 0;
  const int count = list.counts[atom];
  for (int k = 0; k < min(count, kMostNeighbours); ++k) {
    const Difference d = difference<true>(at, positions[list.entries[static_cast<std::size_t>(k) * atoms + atom]]);
    if (d.squared >= kCutoff * kCutoff) continue;
    const double sixth = 1 / (d.squared * d.squared * d.squared);
    energy += 0.5 * (4 * sixth * (sixth - 1) - kPotentialAtCutoff);
    inside += 1;
  }
  const Position from = listed_at[atom];
  const Vector moved{at.x - from.x, at.y - from.y, at.z - from.z};
  const bool is_far = moved.x * moved.x + moved.y * moved.y + moved.z * moved.z >= kSkin * kSkin / 4;
  energy = cuda::block_sum<kThreads>(energy);
  inside = cuda::block_sum<kThreads>(inside);
  const double listed = cuda::block_sum<kThreads>(count);
  const double strays = cuda::block_sum<kThreads>(is_far || count > kMostNeighbours ? 1 : 0);
  if (threadIdx.x == 0) totals[blockIdx.x] = {energy, listed, inside, strays};
}

unsigned blocks_for(int layers) { return static_cast<unsigned>(atoms_per_slab(layers) / kThreads); }

}  // namespace

void queue_neighbours(const Position* positions, int layers, const NeighbourList& list, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  list_neighbours<<<blocks_for(layers), kThreads, 0, stream.get()>>>(positions, layers, list);
  cuda::check_launch("listing neighbours");
}

void queue_step(const Position* positions, int layers, const NeighbourList& list, double kick, double drift,
                Vector* velocities, Position* next, Vector* forces, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  step<<<blocks_for(layers), kThreads, 0, stream.get()>>>(positions, list.entries, list.counts, kick, drift, velocities, next,
                                                          forces);
  cuda::check_launch("launching a step");
}

void queue_halo_shift(Position* positions, int layers, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  shift_halo<<<2 * kAtomsPerBand / kThreads, kThreads, 0, stream.get()>>>(positions + atoms_per_slab(layers),
                                                                          layers * kCellEdge);
  cuda::check_launch("shifting the halo");
}

void queue_totals(const Position* positions, const Position* listed_at, int layers, const NeighbourList& list,
                  const Vector* velocities, Totals* totals, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  add_up<<<blocks_for(layers), kThreads, 0, stream.get()>>>(positions, listed_at, list, velocities, totals);
  cuda::check_launch("adding up the energies");
}

}  // namespace assay::md
