// One flipped bit, for tests: a verification must find it.
#pragma once

#include <cstdint>
#include <cstring>

namespace assay::npb {

inline constexpr int kMantissaBit = 51;  // the highest of the mantissa: changes a double by a quarter to a half
inline constexpr int kExponentBit = 62;  // the highest of the exponent: makes 2 of 0

inline void flip_bit(double& value, int bit) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits ^= std::uint64_t{1} << bit;
  std::memcpy(&value, &bits, sizeof bits);
}

}  // namespace assay::npb
