// The kernels of hpl-mxp: what cuBLAS has not. All are queued on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include "hpl-mxp/device.hpp"

namespace assay::hplmxp {

void queue_generate(const Floats& a, const double* diagonal, cudaStream_t stream);
void queue_store(const Floats& from, const Floats& to, const Halves& rounded, float scale, cudaStream_t stream);
void queue_identity(const Floats& to, cudaStream_t stream);
void queue_flip(float* value, cudaStream_t stream);

// LU without pivoting of a block of at most kMostBase rows.
inline constexpr std::int64_t kMostBase = 64;
void queue_base(const Floats& a, cudaStream_t stream);

}  // namespace assay::hplmxp
