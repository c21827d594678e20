// MG: a Poisson equation on a periodic cube by V-cycles of multigrid: messages of all sizes, near and far.
#pragma once

#include <memory>
#include <string>

#include "npb/kernel.hpp"
#include "npb/team.hpp"

namespace assay::npb {

std::unique_ptr<Kernel> make_mg(const Team& team, const std::string& problem_class);

}  // namespace assay::npb
