// The numbers that are summed, made so that every sum is exact and known in closed form.
//
// Element i is (2 r(i) + 1) / 2^21 with r(i) = (a i + b) mod 2^20 and a odd: a value in (0, 1) that looks random, takes each
// of 2^20 values once in every 2^20 successive elements, and has 21 bits behind the point. A sum of up to 2^32 of them fits
// the 53 bits of a double exactly, in any order: a result that differs in its last bit is wrong.
#pragma once

#include <cstdint>

#include "common/host_device.hpp"

namespace assay::series {

inline constexpr std::uint64_t kPeriod = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 32;

ASSAY_HOST_DEVICE inline std::uint64_t numerator(std::uint64_t index) {
  constexpr std::uint64_t kStep = 0x9E3779B1;  // odd
  constexpr std::uint64_t kStart = 0x5BD1E;
  return 2 * ((kStep * index + kStart) & (kPeriod - 1)) + 1;
}

ASSAY_HOST_DEVICE inline double element(std::uint64_t index) {
  return static_cast<double>(numerator(index)) * (1.0 / 2097152.0);
}

// Sum of the elements from first to first + count - 1.
inline double exact_sum(std::uint64_t first, std::uint64_t count) {
  // The numerators 1, 3, 5 ... of a period add up to its square.
  std::uint64_t sum = count / kPeriod * (kPeriod * kPeriod);
  for (std::uint64_t i = first + count / kPeriod * kPeriod; i < first + count; ++i) sum += numerator(i);
  return static_cast<double>(sum) * (1.0 / 2097152.0);
}

}  // namespace assay::series
