// The GPU's part of a plasma whose markers are kept by cell. All calls queue on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include "pic/bins.hpp"

namespace assay::pic {

// Charge of the lower points of the rings: two grids, which must be 0 before.
struct HalfCharge {
  unsigned long long* along_x;
  unsigned long long* along_y;
};

// Adds every marker's charge. Exact, so its order does not matter. Empties `next`.
void queue_cell_charge(const Grid& grid, const Bins& bins, const Bins& next, const HalfCharge& half, cudaStream_t stream);

// Both points of each ring, as numbers that any order adds up exactly.
void queue_whole_charge(const Grid& grid, const HalfCharge& half, double* numbers, cudaStream_t stream);

// Moves the markers, into the bins of the cells where they are then. Clears the half charges.
void queue_move(const Grid& grid, const Bins& bins, const Bins& next, const Force* forces, float kick, const HalfCharge& half,
                cudaStream_t stream);

}  // namespace assay::pic
