// From the charge to the forces by fast Fourier transforms. Queues on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include "pic/plasma.hpp"

namespace assay::pic {

// Fields of the grid's size: one for the density, two for the forces. circle: cosines and sines for each axis.
struct FourierRoom {
  Complex* density[2];
  Complex* forces[2];  // two fields each
  const Complex* circle[3];
};

// scale: density of a unit of charge. *wave gets the density's coefficient of the wave that the plasma starts with. The grid has at least four
// cells along each axis, and 16 along x.
void queue_fourier_solve(const Grid& grid, const double* charge, double scale, const FourierRoom& room, Force* forces, Complex* wave,
                         cudaStream_t stream);

}  // namespace assay::pic
