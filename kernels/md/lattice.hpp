// The Lennard-Jones system of the MD program, in reduced units (epsilon = sigma = mass = 1): where the atoms are, how they
// are numbered, what is counted, and a reference on the host.
//
// A face-centred cubic crystal at density 0.8442 (LAMMPS's LJ benchmark), every atom displaced a little from its site, at
// rest at first. Atoms then swing about their sites and never leave them, so that a neighbour list stays valid however long
// the run is, and every run does the same work. Each GPU holds a slab of `layers` unit cells in z; x, y and z are periodic.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/host_device.hpp"

namespace assay::md {

inline constexpr double kCutoff = 2.5;
inline constexpr double kSkin = 0.3;
inline constexpr double kLongestListed = kCutoff + kSkin;
inline constexpr double kTimeStep = 0.004;
inline constexpr double kLargestDisplacement = 0.04;  // of an atom at the start, along each axis
inline constexpr double kCellEdge = 1.6795962;         // (4 / 0.8442)^(1/3)
inline constexpr int kAtomsPerCell = 4;
inline constexpr int kCellsAcross = 64;  // in x and in y
inline constexpr double kWidth = kCellsAcross * kCellEdge;
inline constexpr int kBlockEdge = 4;  // in cells
inline constexpr int kBlocksAcross = kCellsAcross / kBlockEdge;
inline constexpr int kAtomsPerBlock = kBlockEdge * kBlockEdge * kBlockEdge * kAtomsPerCell;

// A band is kBlockEdge layers, thicker than the longest listed distance: all that a slab needs of its neighbour.
inline constexpr int kAtomsPerBand = kBlocksAcross * kBlocksAcross * kAtomsPerBlock;
static_assert(kBlockEdge * kCellEdge > kLongestListed + kCellEdge);

// 32 bytes, aligned: one sector of a cache line. The fourth number is unused.
struct alignas(32) Position {
  double x, y, z, unused;
};

struct Vector {
  double x, y, z;
};

struct Cell {
  int x, y, z;
};

// Atoms are numbered band by band, inside a band by cubes of 4 x 4 x 4 cells, so that atoms with neighbouring numbers are
// neighbours in space. Behind the bands of the slab itself come the band below it and the band above it.
ASSAY_HOST_DEVICE inline int first_atom_of(Cell cell, int layers) {
  int band = cell.z / kBlockEdge;
  if (cell.z < 0) {
    band = layers / kBlockEdge;
    cell.z += kBlockEdge;
  } else if (cell.z >= layers) {
    band = layers / kBlockEdge + 1;
    cell.z -= layers;
  }
  const int block = (cell.y / kBlockEdge) * kBlocksAcross + cell.x / kBlockEdge;
  const int inside = ((cell.z % kBlockEdge) * kBlockEdge + cell.y % kBlockEdge) * kBlockEdge + cell.x % kBlockEdge;
  return band * kAtomsPerBand + block * kAtomsPerBlock + inside * kAtomsPerCell;
}

// The inverse, for atoms of the slab itself.
ASSAY_HOST_DEVICE inline Cell cell_of(int atom) {
  const int band = atom / kAtomsPerBand;
  const int block = atom % kAtomsPerBand / kAtomsPerBlock;
  const int inside = atom % kAtomsPerBlock / kAtomsPerCell;
  return {block % kBlocksAcross * kBlockEdge + inside % kBlockEdge,
          block / kBlocksAcross * kBlockEdge + inside / kBlockEdge % kBlockEdge,
          band * kBlockEdge + inside / (kBlockEdge * kBlockEdge)};
}

inline int atoms_per_slab(int layers) { return layers / kBlockEdge * kAtomsPerBand; }

// The slab's atoms, z counted from the slab's own bottom.
std::vector<Position> initial_positions(int slab, int layers, std::uint64_t seed);

// Counted as SHOC's MD does: 8 for every listed distance, 13 more for every pair inside the cutoff.
inline double flops(double listed, double inside) { return 8 * listed + 13 * inside; }

// What the kernel executes in FP64 for one listed neighbour, inside the cutoff or not.
inline constexpr double kInstructionsPerListed = 18;

// Force on the atom, from all atoms of all slabs (positions of each slab counted from its own bottom), nearest images.
// inside: how many are within the cutoff.
struct Reference {
  Vector force;
  double scale;  // sum of the magnitudes of the pair forces: what a rounding error is relative to
  int inside;
};
Reference reference_force(const std::vector<std::vector<Position>>& slabs, int layers, int slab, int atom);

}  // namespace assay::md
