// GROMACS' own tools, run to their end.
#pragma once

#include <filesystem>

#include "gromacs/input.hpp"

namespace assay::gromacs {

// Makes the run input of a box of water in `folder`, as kRunInput. Throws CannotRun where GROMACS is not installed or the box does not fit
// into memory.
void make_input(const Options& options, const std::filesystem::path& folder);

}  // namespace assay::gromacs
