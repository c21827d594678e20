// The input of hpcc. Pure: numbers in, text out.
#pragma once

#include <string>

#include "hpl/settings.hpp"

namespace assay::hpcchallenge {

// hpccinf.txt: the input of HPL, and what PTRANS measures beside HPL's own size: nothing.
std::string input_file(const hpl::Problem& problem);

}  // namespace assay::hpcchallenge
