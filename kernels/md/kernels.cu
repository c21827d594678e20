#include "common/cuda/block_sum.cuh"
#include "md/kernels.hpp"

namespace assay::md {
namespace {

constexpr int kThreads = kAtomsPerBlock;  // a thread block is a cube of cells, a thread an atom
constexpr double kFarAway = 1e6;
static_assert(kMostNeighbours % kBatch == 0 && kBatch == 4);

// Positions of the atoms in and around the block's cube, nearest images, and behind them an atom far from all others.
struct Region {
  double x[kSlots + 1];
  double y[kSlots + 1];
  double z[kSlots + 1];
};
constexpr std::size_t kRegionBytes = sizeof(Region);

__device__ Region& region() {
  extern __shared__ double memory[];
  return *reinterpret_cast<Region*>(memory);
}

__device__ Cell corner_of_region() {
  const Cell cell = cell_of(static_cast<int>(blockIdx.x) * kThreads);
  return {cell.x - kReach, cell.y - kReach, cell.z - kReach};
}

// A coordinate outside of the periodic box: brought inside, `shift` being what the position then lacks.
__device__ int wrap(int cell, double& shift) {
  shift = cell < 0 ? -kWidth : cell >= kCellsAcross ? kWidth : 0;
  return (cell + kCellsAcross) % kCellsAcross;
}

__device__ void load_region(const Vector* __restrict__ positions, int layers) {
  Region& r = region();
  const Cell corner = corner_of_region();
#pragma unroll
  for (int n = 0; n < kSlots / kThreads; ++n) {
    const int i = n * kThreads + static_cast<int>(threadIdx.x);
    const Cell in_region{i % kRegionEdge, i / kRegionEdge % kRegionEdge, i / (kRegionEdge * kRegionEdge) % kRegionEdge};
    const int site = i / (kRegionEdge * kRegionEdge * kRegionEdge);
    Vector shift;
    const Cell cell{wrap(corner.x + in_region.x, shift.x), wrap(corner.y + in_region.y, shift.y), corner.z + in_region.z};
    shift.z = cell.z < 0 ? -layers * kCellEdge : cell.z >= layers ? layers * kCellEdge : 0;
    const Vector position = positions[atom_at(cell, site, layers)];
    const int slot = slot_at(in_region, site);
    r.x[slot] = position.x + shift.x;
    r.y[slot] = position.y + shift.y;
    r.z[slot] = position.z + shift.z;
  }
  if (threadIdx.x == 0) r.x[kSlots] = r.y[kSlots] = r.z[kSlots] = kFarAway;
  __syncthreads();
}

__device__ Vector position_in(int slot) { return {region().x[slot], region().y[slot], region().z[slot]}; }

struct Difference {
  double x, y, z, squared;
};

__device__ Difference difference(const Vector& at, const Vector& by) {
  const double x = at.x - by.x;
  const double y = at.y - by.y;
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

// squared < kCutoff^2, by an integer comparison: the FP64 unit is the one that is scarce.
__device__ bool is_inside(double squared) {
  static_assert(kCutoff * kCutoff == 6.25);  // 0x4019000000000000
  return __double2hiint(squared) < 0x40190000;
}

__global__ void __launch_bounds__(kThreads) list_neighbours(const Vector* __restrict__ positions, int layers,
                                                            NeighbourList list) {
  load_region(positions, layers);
  const int atoms = gridDim.x * kThreads;
  const int atom = blockIdx.x * kThreads + threadIdx.x;
  const Cell home = cell_of(atom);
  const Cell corner = corner_of_region();
  const int own = slot_at({home.x - corner.x, home.y - corner.y, home.z - corner.z}, site_of(atom));
  const Vector at = position_in(own);
  int count = 0;
  const auto add = [&](int slot) {
    const std::size_t batch = static_cast<std::size_t>(count / kBatch) * atoms + atom;
    if (count < kMostNeighbours) list.entries[batch * kBatch + count % kBatch] = static_cast<std::uint16_t>(slot);
    ++count;
  };
  for (int site = 0; site < kAtomsPerCell; ++site) {
    for (int dz = -kReach; dz <= kReach; ++dz) {
      for (int dy = -kReach; dy <= kReach; ++dy) {
        for (int dx = -kReach; dx <= kReach; ++dx) {
          const int slot = slot_at({home.x + dx - corner.x, home.y + dy - corner.y, home.z + dz - corner.z}, site);
          if (slot != own && difference(at, position_in(slot)).squared < kLongestListed * kLongestListed) add(slot);
        }
      }
    }
  }
  list.counts[atom] = count;
  while (count % kBatch != 0) add(kSlots);
}

__device__ void add_pair_force(const Vector& at, int slot, Vector& force) {
  const Difference d = difference(at, position_in(slot));
  const double second = reciprocal(d.squared);
  const double sixth = second * second * second;
  double strength = second * sixth * fma(48.0, sixth, -24.0);
  strength = is_inside(d.squared) ? strength : 0.0;
  force.x = fma(strength, d.x, force.x);
  force.y = fma(strength, d.y, force.y);
  force.z = fma(strength, d.z, force.z);
}

__global__ void __launch_bounds__(kThreads, 4) step(const Vector* __restrict__ positions, int layers,
                                                    const ushort4* __restrict__ batches, const int* __restrict__ counts,
                                                    double kick, double drift, Vector* __restrict__ velocities,
                                                    Vector* __restrict__ next, Vector* __restrict__ forces) {
  const int atoms = gridDim.x * kThreads;
  const int atom = blockIdx.x * kThreads + threadIdx.x;
  const int count = counts[atom];
  const ushort4* batch = batches + atom;
  ushort4 slots = __ldcs(batch);
  load_region(positions, layers);
  const Vector at = positions[atom];
  Vector force{0, 0, 0};
  for (int k = 0; k < count; k += kBatch) {
    const ushort4 now = slots;
    batch += atoms;
    slots = __ldcs(batch);
    add_pair_force(at, now.x, force);
    add_pair_force(at, now.y, force);
    add_pair_force(at, now.z, force);
    add_pair_force(at, now.w, force);
  }
  Vector v = velocities[atom];
  v = {fma(kick, force.x, v.x), fma(kick, force.y, v.y), fma(kick, force.z, v.z)};
  velocities[atom] = v;
  next[atom] = {fma(drift, v.x, at.x), fma(drift, v.y, at.y), fma(drift, v.z, at.z)};
  if (forces != nullptr) forces[atom] = force;
}

__global__ void __launch_bounds__(kThreads) add_up(const Vector* __restrict__ positions,
                                                   const Vector* __restrict__ listed_at, int layers, NeighbourList list,
                                                   const Vector* __restrict__ velocities, Totals* __restrict__ totals) {
  load_region(positions, layers);
  const int atoms = gridDim.x * kThreads;
  const int atom = blockIdx.x * kThreads + threadIdx.x;
  const Vector at = positions[atom];
  const Vector v = velocities[atom];
  constexpr double kSecondAtCutoff = 1 / (kCutoff * kCutoff);
  constexpr double kSixthAtCutoff = kSecondAtCutoff * kSecondAtCutoff * kSecondAtCutoff;
  constexpr double kPotentialAtCutoff = 4 * kSixthAtCutoff * (kSixthAtCutoff - 1);
  double energy = 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z);
  double inside = 0;
  const int count = list.counts[atom];
  for (int k = 0; k < min(count, kMostNeighbours); ++k) {
    const std::size_t batch = static_cast<std::size_t>(k / kBatch) * atoms + atom;
    const Difference d = difference(at, position_in(list.entries[batch * kBatch + k % kBatch]));
    if (!is_inside(d.squared)) continue;
    const double sixth = 1 / (d.squared * d.squared * d.squared);
    energy += 0.5 * (4 * sixth * (sixth - 1) - kPotentialAtCutoff);
    inside += 1;
  }
  const Vector from = listed_at[atom];
  const bool is_far = difference(at, from).squared >= kSkin * kSkin / 4;
  energy = cuda::block_sum<kThreads>(energy);
  inside = cuda::block_sum<kThreads>(inside);
  const double listed = cuda::block_sum<kThreads>(count);
  const double strays = cuda::block_sum<kThreads>(is_far || count > kMostNeighbours ? 1 : 0);
  if (threadIdx.x == 0) totals[blockIdx.x] = {energy, listed, inside, strays};
}

unsigned blocks_for(int layers) { return static_cast<unsigned>(atoms_per_slab(layers) / kThreads); }

template <typename Kernel>
void allow_region(Kernel kernel) {
  cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kRegionBytes)),
              "asking for " + std::to_string(kRegionBytes) + " bytes of shared memory");
}

}  // namespace

void prepare_kernels(int device) {
  const cuda::OnDevice on(device);
  allow_region(list_neighbours);
  allow_region(step);
  allow_region(add_up);
}

void queue_neighbours(const Vector* positions, int layers, const NeighbourList& list, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  list_neighbours<<<blocks_for(layers), kThreads, kRegionBytes, stream.get()>>>(positions, layers, list);
  cuda::check_launch("listing neighbours");
}

void queue_step(const Vector* positions, int layers, const NeighbourList& list, double kick, double drift, Vector* velocities,
                Vector* next, Vector* forces, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  step<<<blocks_for(layers), kThreads, kRegionBytes, stream.get()>>>(positions, layers,
                                                                     reinterpret_cast<const ushort4*>(list.entries),
                                                                     list.counts, kick, drift, velocities, next, forces);
  cuda::check_launch("launching a step");
}

void queue_totals(const Vector* positions, const Vector* listed_at, int layers, const NeighbourList& list,
                  const Vector* velocities, Totals* totals, const cuda::Stream& stream) {
  const cuda::OnDevice on(stream.device());
  add_up<<<blocks_for(layers), kThreads, kRegionBytes, stream.get()>>>(positions, listed_at, layers, list, velocities, totals);
  cuda::check_launch("adding up the energies");
}

}  // namespace assay::md
