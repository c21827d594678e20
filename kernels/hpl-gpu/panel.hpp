// The factorization of one panel: recursive, so that most of it is matrix products.
#pragma once

#include "hpl-gpu/backend.hpp"

namespace assay::hplgpu {

// Factors the panel in place, with partial pivoting, and says what its swaps come to.
void factor_panel(Backend& backend, const Panel& panel);

}  // namespace assay::hplgpu
