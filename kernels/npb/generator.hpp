// The specification's pseudo-random numbers: x' = 5^13 x mod 2^46, from the seed 314159265, as x / 2^46.
#pragma once

#include <cstdint>

namespace assay::npb {

class Generator {
 public:
  static constexpr std::uint64_t kSeed = 314159265;

  // Behind the first `skipped` numbers of the sequence.
  explicit Generator(std::uint64_t skipped = 0);

  // The next number as an integer below 2^46.
  std::uint64_t next_integer() { return state_ = (state_ * kMultiplier) & kMask; }

  // The next number in (0, 1), exact.
  double next() { return static_cast<double>(next_integer()) * kScale; }

 private:
  static constexpr std::uint64_t kMultiplier = 1220703125;  // 5^13
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 46) - 1;
  static constexpr double kScale = 1.0 / static_cast<double>(std::uint64_t{1} << 46);

  std::uint64_t state_ = kSeed;
};

}  // namespace assay::npb
