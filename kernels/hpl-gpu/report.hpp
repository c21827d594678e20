// The report that Netlib's HPL prints, line for line, so that whatever reads one reads the other. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hpl-gpu/verify.hpp"

namespace assay::hplgpu {

// 2/3 N^3 + 3/2 N^2: what HPL counts.
double operations_of(std::int64_t order);

struct Result {
  double seconds;
  Residual residual;
};

struct Problem {
  std::int64_t order;
  std::int64_t block;
  int ranks;
};

std::string netlib_report(const Problem& problem, const std::vector<Result>& results);

}  // namespace assay::hplgpu
