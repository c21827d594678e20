// CG: the smallest eigenvalue of a large sparse matrix by inverse iteration, each step solved by 25 steps of conjugate gradients.
#pragma once

#include <memory>
#include <string>

#include "npb/kernel.hpp"
#include "npb/team.hpp"

namespace assay::npb {

std::unique_ptr<Kernel> make_cg(const Team& team, const std::string& problem_class);

}  // namespace assay::npb
