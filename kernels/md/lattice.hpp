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
inline constexpr double kLargestDisplacement = 0.02;  // of an atom at the start, along each axis
inline constexpr double kCellEdge = 1.6795962;         // (4 / 0.8442)^(1/3)
inline constexpr int kAtomsPerCell = 4;
inline constexpr int kCellsAcross = 64;  // in x and in y
inline constexpr double kWidth = kCellsAcross * kCellEdge;
inline constexpr int kBlockEdge = 4;  // in cells
inline constexpr int kBlocksAcross = kCellsAcross / kBlockEdge;
inline constexpr int kCellsPerBlock = kBlockEdge * kBlockEdge * kBlockEdge;
inline constexpr int kAtomsPerBlock = kCellsPerBlock * kAtomsPerCell;

// A band is kBlockEdge layers, thicker than the longest listed distance: all that a slab needs of its neighbour.
inline constexpr int kAtomsPerBand = kBlocksAcross * kBlocksAcross * kAtomsPerBlock;

struct Vector {
  double x, y, z;
};

struct Cell {
  int x, y, z;
};

// Atoms are numbered band by band, inside a band by cubes of 4 x 4 x 4 cells, inside a cube by their site in the cell, then by
// cell. So a thread block's atoms fill a cube, and the atoms of half a warp see their neighbours at equal distances from
// themselves. Behind the bands of the slab itself come the band below it and the band above it.
ASSAY_HOST_DEVICE inline int atom_at(Cell cell, int site, int layers) {
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
  return band * kAtomsPerBand + block * kAtomsPerBlock + site * kCellsPerBlock + inside;
}

ASSAY_HOST_DEVICE inline int site_of(int atom) { return atom % kAtomsPerBlock / kCellsPerBlock; }

// For atoms of the slab itself.
ASSAY_HOST_DEVICE inline Cell cell_of(int atom) {
  const int band = atom / kAtomsPerBand;
  const int block = atom % kAtomsPerBand / kAtomsPerBlock;
  const int inside = atom % kCellsPerBlock;
  return {block % kBlocksAcross * kBlockEdge + inside % kBlockEdge,
          block / kBlocksAcross * kBlockEdge + inside / kBlockEdge % kBlockEdge,
          band * kBlockEdge + inside / (kBlockEdge * kBlockEdge)};
}

// A cube and kReach cells on every side of it: all atoms that its own can have for neighbours. They are kept in shared
// memory, each in a slot.
inline constexpr int kReach = 2;
inline constexpr int kRegionEdge = kBlockEdge + 2 * kReach;
inline constexpr int kSlots = kRegionEdge * kRegionEdge * kRegionEdge * kAtomsPerCell;
static_assert((kReach + 0.5) * kCellEdge - 2 * kLargestDisplacement > kLongestListed, "no neighbour is further away");

// Slot of an atom by its cell, counted from the corner of the region. Half a warp looks at 4 x 4 cells of a layer at once:
// exchanging the halves of every second pair of rows puts these 16 numbers into the 16 banks.
ASSAY_HOST_DEVICE inline int slot_at(Cell in_region, int site) {
  const int x = in_region.x ^ (in_region.y / 2 % 2 * 4);
  return ((site * kRegionEdge + in_region.z) * kRegionEdge + in_region.y) * kRegionEdge + x;
}

inline int atoms_per_slab(int layers) { return layers / kBlockEdge * kAtomsPerBand; }

// The slab's atoms, z counted from the slab's own bottom.
std::vector<Vector> initial_positions(int slab, int layers, std::uint64_t seed);

// Counted as SHOC's MD does: 8 for every listed distance, 13 more for every pair inside the cutoff.
inline double flops(double listed, double inside) { return 8 * listed + 13 * inside; }

// What the kernel executes in FP64 for one listed neighbour, inside the cutoff or not.
inline constexpr double kInstructionsPerListed = 17;

// Force on the atom, from all atoms of all slabs (positions of each slab counted from its own bottom), nearest images.
// inside: how many are within the cutoff.
struct Reference {
  Vector force;
  double scale;  // sum of the magnitudes of the pair forces: what a rounding error is relative to
  int inside;
};
Reference reference_force(const std::vector<std::vector<Vector>>& slabs, int layers, int slab, int atom);

}  // namespace assay::md
