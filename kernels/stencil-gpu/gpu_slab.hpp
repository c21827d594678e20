// A slab on a GPU.
#pragma once

#include <memory>

#include "proxy/gpu_ranks.hpp"
#include "stencil/slab.hpp"

namespace assay::stencil {

std::unique_ptr<Slab> make_gpu_slab(const proxy::Rank& rank, const Shape& shape, bool is_double);

}  // namespace assay::stencil
