// IS: the ranks of integer keys, as in particle codes, where each iteration sends most keys to another rank.
#pragma once

#include <memory>
#include <string>

#include "npb/kernel.hpp"
#include "npb/team.hpp"

namespace assay::npb {

std::unique_ptr<Kernel> make_is(const Team& team, const std::string& problem_class);

}  // namespace assay::npb
