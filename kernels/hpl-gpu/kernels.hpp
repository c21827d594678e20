// The kernels of hpl-gpu: what cuBLAS has not. All are queued on the stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "hpl-gpu/backend.hpp"

namespace assay::hplgpu {

// --- matrix.cu
void queue_generate(const Matrix& to, std::int64_t first_column, std::int64_t order, cudaStream_t stream);
void queue_row_sums(const ColumnRun& columns, std::int64_t order, const double* x, double* products, double* sums, cudaStream_t stream);
// *sum: 0 before. Adds the checksum of so many words.
void queue_checksum(const double* words, std::size_t count, std::uint64_t* sum, cudaStream_t stream);
// Adds 1 to *differences where the two differ.
void queue_compare(const std::uint64_t* sum, const std::uint64_t* expected, std::uint64_t* differences, cudaStream_t stream);
void queue_flip(double* value, cudaStream_t stream);

// --- rows.cu
void queue_trace(const Panel& panel, cudaStream_t stream);
void queue_swap(const Panel& panel, const Matrix& a, const Matrix& top, cudaStream_t stream);
// The swaps of columns [first, first + count) in all other columns of the panel. count: at most kMostBaseColumns.
void queue_swap_in_panel(const Panel& panel, std::int64_t first, std::int64_t count, cudaStream_t stream);
void queue_identity(const Matrix& to, cudaStream_t stream);
// b = l^-1 b for a small l: at most kMostTriangle rows.
inline constexpr std::int64_t kMostTriangle = 64;
void queue_small_solve(const Matrix& l, const Matrix& b, cudaStream_t stream);

}  // namespace assay::hplgpu
