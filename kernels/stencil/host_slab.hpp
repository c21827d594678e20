// A slab in the host's memory, computed by OpenMP's threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "stencil/slab.hpp"

namespace assay::stencil {

// Sends the first and last rows of a field to the neighbours, and receives theirs: to_below, to_above, from_below, from_above, bytes.
using Exchange = std::function<void(const void*, const void*, void*, void*, std::size_t)>;

// Bytes that a slab and its verification take: three fields, and two copies in double precision.
std::int64_t memory_bytes(const Shape& shape, bool is_double);

// exchange: empty where the slab is alone.
std::unique_ptr<Slab> make_host_slab(const Shape& shape, bool is_double, const Exchange& exchange);

}  // namespace assay::stencil
