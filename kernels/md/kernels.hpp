// The GPU's part of the MD program. All calls queue on the stream.
#pragma once

#include "common/cuda/stream.hpp"
#include "md/lattice.hpp"

namespace assay::md {

inline constexpr int kMostNeighbours = 96;
inline constexpr int kBatch = 4;  // neighbours whose positions a thread has under way at once

// Positions on a GPU: its slab, the band below, the band above, and one atom far from all others that fills up lists.
inline constexpr int kExtraAtoms = 2 * kAtomsPerBand + 1;

// Entry k of atom i is at k * atoms + i. Lists are filled up to a multiple of kBatch; one more batch of rows is allocated,
// because it may be read, never used.
struct NeighbourList {
  int* entries;
  int* counts;
};
inline std::size_t list_entries(int atoms) { return static_cast<std::size_t>(atoms) * (kMostNeighbours + kBatch); }

// Lists, for every atom of the slab, all atoms closer than kLongestListed. A count above kMostNeighbours means that the list
// of that atom is cut short.
void queue_neighbours(const Position* positions, int layers, const NeighbourList& list, const cuda::Stream& stream);

// Forces at `positions`, then v += kick * F and next = position + drift * v. forces: not written where null.
void queue_step(const Position* positions, int layers, const NeighbourList& list, double kick, double drift,
                Vector* velocities, Position* next, Vector* forces, const cuda::Stream& stream);

// The bands below and above, just copied from other slabs, count z from the bottoms of those: this adds the difference.
void queue_halo_shift(Position* positions, int layers, const cuda::Stream& stream);

// What `totals` says for each block of kAtomsPerBlock atoms; the host adds them up.
struct Totals {
  double energy;  // kinetic, and half of the potential of every pair (shifted to be 0 at the cutoff)
  double listed;  // entries of the lists
  double inside;  // those of them that are closer than the cutoff
  double strays;  // atoms that moved by more than half of the skin since the lists were made, or whose list is cut short
};
void queue_totals(const Position* positions, const Position* listed_at, int layers, const NeighbourList& list,
                  const Vector* velocities, Totals* totals, const cuda::Stream& stream);

}  // namespace assay::md
