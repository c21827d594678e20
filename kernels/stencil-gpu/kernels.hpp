// The GPU's part of the stencil.
#pragma once

#include <cuda_runtime_api.h>

#include "stencil/scheme.hpp"

namespace assay::stencil {

// next = start + share * change of `now`, in rows [first, last) of a slab. Pointers are to row 0; rows -3 to rows + 2 are there.
template <typename Real>
void queue_stage(const Weights<Real>& weights, Real share, const Real* start, const Real* now, Real* next, int nx, int nz, int first, int last,
                 cudaStream_t stream);

}  // namespace assay::stencil
