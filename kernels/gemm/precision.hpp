// The number formats that gemm measures, the operations it counts, and what a multiprocessor can do. Host code only.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace assay::gemm {

enum class Precision { Fp64, Fp32, Tf32, Bf16, Fp16, Fp8 };

inline constexpr std::array<Precision, 6> kPrecisions{Precision::Fp64, Precision::Fp32, Precision::Tf32,
                                                      Precision::Bf16, Precision::Fp16, Precision::Fp8};
inline constexpr std::array<const char*, 6> kPrecisionNames{"fp64", "fp32", "tf32", "bf16", "fp16", "fp8"};

inline std::string name_of(Precision precision) { return kPrecisionNames[static_cast<std::size_t>(precision)]; }

inline Precision precision_of(const std::string& name) {
  std::size_t i = 0;
  while (i + 1 < kPrecisionNames.size() && name != kPrecisionNames[i]) ++i;
  return kPrecisions[i];
}

// A multiplication and an addition per element of each of the n x n dot products.
inline double operations(double n) { return 2 * n * n * n; }

// The formats' matrix units came with these compute capabilities.
inline bool is_supported(Precision precision, int major, int minor) {
  const int capability = 10 * major + minor;
  switch (precision) {
    case Precision::Tf32:
    case Precision::Bf16: return capability >= 80;
    case Precision::Fp8: return capability >= 89;
    case Precision::Fp16: return capability >= 70;
    default: return true;
  }
}

// Dense floating-point operations per clock and multiprocessor, fused multiply-add counted as two, by the fastest unit for
// that format. Derived from the vendor's data sheets (peak / multiprocessors / boost clock); absent where not known.
inline std::optional<int> operations_per_clock(Precision precision, int major, int minor) {
  struct Row {
    int capability;
    std::array<int, 6> per_clock;  // fp64, fp32, tf32, bf16, fp16, fp8; 0: not known or not there
  };
  static constexpr std::array<Row, 7> kRows{{{70, {64, 128, 0, 0, 1024, 0}},
                                             {75, {4, 128, 0, 0, 1024, 0}},
                                             {80, {128, 128, 1024, 2048, 2048, 0}},
                                             {86, {4, 256, 512, 1024, 1024, 0}},
                                             {89, {4, 256, 512, 1024, 1024, 2048}},
                                             {90, {256, 256, 2048, 4096, 4096, 8192}},
                                             {100, {128, 256, 4096, 8192, 8192, 16384}}}};
  for (const auto& row : kRows) {
    if (row.capability != 10 * major + minor) continue;
    const int per_clock = row.per_clock[static_cast<std::size_t>(precision)];
    return per_clock > 0 ? std::optional<int>(per_clock) : std::nullopt;
  }
  return std::nullopt;
}

inline double peak_tflops(int per_clock, int multiprocessors, double clock_mhz) {
  return static_cast<double>(per_clock) * multiprocessors * clock_mhz * 1e-6;
}

// How far a row of the product may be from the reference, relative to the row's norm, when it is multiplied with a vector of
// random signs (README.md). Rounding of the result to its format, and the accumulation over k, each with a margin of 8.
inline double tolerance(Precision precision, double k) {
  const double fp32_sum = std::sqrt(k) * std::ldexp(1.0, -23);
  switch (precision) {
    case Precision::Fp64: return 8 * std::sqrt(k) * std::ldexp(1.0, -52);
    case Precision::Fp32: return 8 * fp32_sum;
    // Operands are cut to 10 bits behind the point, which makes every product up to 2^-9 smaller.
    case Precision::Tf32: return 4 * std::ldexp(1.0, -9) + 32 * fp32_sum;
    case Precision::Bf16: return 8 * std::ldexp(1.0, -9);
    case Precision::Fp16: return 8 * std::ldexp(1.0, -11);
    case Precision::Fp8: return 8 * std::ldexp(1.0, -9) + 8 * std::ldexp(1.0, -8);  // short accumulators
  }
  return 0;
}

}  // namespace assay::gemm
