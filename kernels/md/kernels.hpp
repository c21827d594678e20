// The GPU's part of the MD program. All calls queue on the stream.
//
// Positions on a GPU are those of its slab, then of the band below it and of the band above it, each band in the coordinates
// of the slab that it was copied from.
#pragma once

#include <cstdint>

#include "common/cuda/stream.hpp"
#include "md/lattice.hpp"

namespace assay::md {

inline constexpr int kMostNeighbours = 96;
inline constexpr int kBatch = 4;  // entries that a thread reads at once

// Entries are slots of the region around the atom's cube. Entry k of atom i is number k % kBatch of batch
// (k / kBatch) * atoms + i. Lists are filled up to whole batches with an atom far from all others; one more row of batches is
// allocated, because it may be read, never used.
struct NeighbourList {
  std::uint16_t* entries;
  int* counts;
};
inline std::size_t list_entries(int atoms) { return static_cast<std::size_t>(atoms) * (kMostNeighbours + kBatch); }

// Once per GPU, before all else.
void prepare_kernels(int device);

// Lists, for every atom of the slab, all atoms closer than kLongestListed. A count above kMostNeighbours means that the list
// of that atom is cut short.
void queue_neighbours(const Vector* positions, int layers, const NeighbourList& list, const cuda::Stream& stream);

// Forces at `positions`, then v += kick * F and next = position + drift * v. forces: not written where null.
void queue_step(const Vector* positions, int layers, const NeighbourList& list, double kick, double drift, Vector* velocities,
                Vector* next, Vector* forces, const cuda::Stream& stream);

// What `totals` says for each block of kAtomsPerBlock atoms; the host adds them up.
struct Totals {
  double energy;  // kinetic, and half of the potential of every pair (shifted to be 0 at the cutoff)
  double listed;  // entries of the lists
  double inside;  // those of them that are closer than the cutoff
  double strays;  // atoms that moved by more than half of the skin since the lists were made, or whose list is cut short
};
void queue_totals(const Vector* positions, const Vector* listed_at, int layers, const NeighbourList& list,
                  const Vector* velocities, Totals* totals, const cuda::Stream& stream);

}  // namespace assay::md
