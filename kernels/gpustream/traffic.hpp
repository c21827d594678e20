// The five STREAM kernels and the bytes that each has to move. Host code only.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace assay::gpustream {

enum class Kernel { Copy, Mul, Add, Triad, Dot };
enum class Precision { Fp64, Fp32 };

inline constexpr std::array<Kernel, 5> kKernels{Kernel::Copy, Kernel::Mul, Kernel::Add, Kernel::Triad, Kernel::Dot};

// Arrays read plus arrays written: c = a; b = s c; c = a + b; a = b + s c; sum of a b.
inline std::size_t arrays_moved(Kernel kernel) { return kernel == Kernel::Add || kernel == Kernel::Triad ? 3 : 2; }

inline std::size_t bytes_moved(Kernel kernel, std::size_t array_bytes) { return arrays_moved(kernel) * array_bytes; }

inline std::string metric_name(Kernel kernel, Precision precision) {
  static const std::array<const char*, 5> names{"hbmCopy", "hbmMul", "hbmAdd", "hbmTriad", "hbmDot"};
  return std::string(names[static_cast<std::size_t>(kernel)]) + (precision == Precision::Fp32 ? "Fp32" : "");
}

// Two transfers per clock on every wire of the memory bus, in GB/s.
inline double memory_peak_gbps(double clock_mhz, int bus_width_bits) { return 2 * clock_mhz * 1e6 * bus_width_bits / 8 * 1e-9; }

}  // namespace assay::gpustream
