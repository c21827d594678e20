// The GPU's part of the stencil where rows of cells are whole vectors.
#pragma once

#include <cuda_runtime_api.h>

#include "stencil/scheme.hpp"

namespace assay::stencil {

// Rows of cells on their way through shared memory: the one that is computed, three that follow, and those that are asked for.
inline constexpr int kRing = 8;

// How a slab is shared out among blocks: tiles of `height` cells along z and 32 vectors along x.
struct Tiling {
  int nx, nz, rows;
  int height;  // 0: without tiles, because rows are no whole vectors
  int multiprocessors;
  bool wraps;  // rows follow one another in a ring: there are no neighbours
};

inline constexpr int kVectorBytes = 16;
inline bool has_whole_vectors(int nx, std::size_t real_bytes) { return static_cast<std::size_t>(nx) * real_bytes % kVectorBytes == 0; }

// Of shared memory, for a block.
std::size_t tile_bytes(int height, std::size_t real_bytes);

// Allows the current device's blocks as much.
template <typename Real>
void allow_tiles(int height);

// Rows [first, first + each), [first + stride, first + stride + each) ... below last: next = start + share * change of `now`. Pointers are to
// row 0; unless rows wrap, rows -3 to rows + 2 are there.
struct Chunks {
  int first, last, stride, each;
};
Chunks all_rows(const Tiling& tiling, int first, int last, std::size_t real_bytes);
Chunks outer_rows(const Tiling& tiling);

template <typename Real>
void queue_tiles(const Tiling& tiling, const Chunks& chunks, const Weights<Real>& weights, Real share, const Real* start, const Real* now,
                 Real* next, cudaStream_t stream);

}  // namespace assay::stencil
