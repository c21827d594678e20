// How the processes of the CPU program exchange rows: decided at build time, by linking exchange_none.cpp or exchange_mpi.cpp.
#pragma once

#include "stencil/host_slab.hpp"

namespace assay::stencil {

// Between neighbours on a ring; empty for a process that is alone.
Exchange ring_exchange(int rank, int ranks);

}  // namespace assay::stencil
