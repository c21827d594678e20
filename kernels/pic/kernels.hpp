// The GPU's part of the plasma. All calls queue on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include "pic/plasma.hpp"

namespace assay::pic {

// Adds every marker's charge to the grid, which must be 0 before: exact, so its order does not matter.
void queue_deposit(const Grid& grid, const Markers& markers, std::size_t count, unsigned long long* charge, cudaStream_t stream);

// charge as numbers that any order adds up exactly: below 2^53 for up to 2^21 markers around a node.
void queue_numbers(const Grid& grid, const unsigned long long* charge, double* numbers, cudaStream_t stream);

// What a field solve needs: coefficients of the density (cells) and of the forces (3 x cells), each twice, and a table of cosines and sines for each axis.
struct Room {
  Complex* density[2];
  Complex* forces[2];
  const Complex* circle[3];
};

// From the charge of all ranks to the force at each node. scale: density of a unit of charge. *wave gets the density's coefficient of the wave that the
// plasma starts with.
void queue_solve(const Grid& grid, const double* charge, double scale, const Room& room, Force* forces, Complex* wave, cudaStream_t stream);

void queue_push(const Grid& grid, const Markers& markers, std::size_t count, const Force* forces, float kick, cudaStream_t stream);

}  // namespace assay::pic
