// A slab on a GPU.
#pragma once

#include <memory>

#include "proxy/gpu_ranks.hpp"
#include "stencil/slab.hpp"

namespace assay::stencil {

// tile_height: cells along z that a block computes; 0: without tiles.
std::unique_ptr<Slab> make_gpu_slab(const proxy::Rank& rank, const Shape& shape, bool is_double, int tile_height);

}  // namespace assay::stencil
