// FT: a diffusion equation solved by three-dimensional FFTs, each with one exchange of all data among all ranks.
#pragma once

#include <memory>
#include <string>

#include "npb/kernel.hpp"
#include "npb/team.hpp"

namespace assay::npb {

std::unique_ptr<Kernel> make_ft(const Team& team, const std::string& problem_class);

}  // namespace assay::npb
