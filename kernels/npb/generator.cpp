#include "npb/generator.hpp"

namespace assay::npb {

// 64-bit products wrap at 2^64, a multiple of 2^46, so that their low 46 bits are right.
Generator::Generator(std::uint64_t skipped) {
  std::uint64_t power = kMultiplier;
  for (; skipped > 0; skipped >>= 1) {
    if ((skipped & 1) != 0) state_ = (state_ * power) & kMask;
    power = (power * power) & kMask;
  }
}

}  // namespace assay::npb
