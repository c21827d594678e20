// How large a problem is. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "hpl-gpu/factor.hpp"
#include "hpl-gpu/report.hpp"

namespace assay::hplgpu {

// The largest order, in whole blocks, for which every rank needs no more than so many bytes. 0: not even one block.
inline std::int64_t order_for_memory(std::int64_t bytes_per_rank, std::int64_t block, int ranks, const Tuning& tuning) {
  const auto fits = [&](std::int64_t blocks) {
    return System::doubles_for({blocks * block, block, ranks}, tuning) <= bytes_per_rank / static_cast<std::int64_t>(sizeof(double));
  };
  std::int64_t low = 0, high = 1;
  while (fits(high)) high *= 2;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low * block;
}

// The order that takes about so long at such a rate, in whole blocks, at least one.
inline std::int64_t order_for_seconds(double seconds, double flops_per_second, std::int64_t block) {
  const double order = std::cbrt(1.5 * seconds * flops_per_second);
  return std::max<std::int64_t>(1, std::llround(order / static_cast<double>(block))) * block;
}

}  // namespace assay::hplgpu
