// HPL's own random numbers, from any place of their sequence: the matrix is the one that Netlib's xhpl solves.
//
// X(k+1) = a X(k) + c mod 2^64, X(0) is the step after HPL's seed, and number k is 0.5 - X(k) / 2^64. Element (i, j) of the N x (N + 1)
// matrix [A | b] is number i + j N. m steps are one step with another a and c, which log2(m) multiplications give.
#pragma once

#include <cstdint>

#include "common/host_device.hpp"

namespace assay::hplgpu {

// X -> multiplier X + increment: one step, or many of them at once.
struct Jump {
  std::uint64_t multiplier;
  std::uint64_t increment;

  ASSAY_HOST_DEVICE std::uint64_t from(std::uint64_t state) const { return multiplier * state + increment; }

  // This one, then `next`.
  ASSAY_HOST_DEVICE Jump then(const Jump& next) const {
    return {next.multiplier * multiplier, next.multiplier * increment + next.increment};
  }
};

inline constexpr std::uint64_t kFirstState = 9224323878554545557ULL;  // one step from HPL's seed, 100
inline constexpr Jump kOneStep{6364136223846793005ULL, 1};

ASSAY_HOST_DEVICE inline Jump jump_of(std::uint64_t steps) {
  Jump total{1, 0};
  Jump power{6364136223846793005ULL, 1};
  for (; steps > 0; steps >>= 1) {
    if (steps & 1) total = total.then(power);
    power = power.then(power);
  }
  return total;
}

// The number that a state stands for, in (-0.5, 0.5], rounded as HPL_rand rounds it.
ASSAY_HOST_DEVICE inline double number_of(std::uint64_t state) {
  constexpr double kTwoToMinus32 = 1.0 / 4294967296.0;
  const double low = static_cast<double>(static_cast<std::uint32_t>(state)) * kTwoToMinus32;
  const double high = static_cast<double>(static_cast<std::uint32_t>(state >> 32));
  return 0.5 - (low + high) * kTwoToMinus32;
}

// Of element (row, column) of the matrix of order n.
ASSAY_HOST_DEVICE inline std::uint64_t state_at(std::uint64_t row, std::uint64_t column, std::uint64_t n) {
  return jump_of(row + column * n).from(kFirstState);
}

}  // namespace assay::hplgpu
