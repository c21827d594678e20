// The four STREAM kernels, with the arithmetic that checks them. Formulas and byte counts: kernels/README.md.
#pragma once

#include <array>
#include <cstddef>

namespace assay::stream {

enum class Kernel { Copy, Scale, Add, Triad };

struct KernelInfo {
  Kernel kernel;
  const char* name;
  double bytes_per_element;  // as STREAM counts: what the loop names, without the line that a store first reads
};

inline constexpr std::array<KernelInfo, 4> kKernels = {{{Kernel::Copy, "copy", 16},
                                                        {Kernel::Scale, "scale", 16},
                                                        {Kernel::Add, "add", 24},
                                                        {Kernel::Triad, "triad", 24}}};

// sqrt(2) - 1: one round of the four kernels then leaves `a` as it was, so that no number of rounds can overflow.
inline constexpr double kScalar = 0.41421356237309503;

enum class Stores { Regular, NonTemporal };

// Whether this build has stores that bypass the cache.
bool has_non_temporal_stores();

// n elements each, aligned to 64 bytes; n is a multiple of 8.
struct Arrays {
  double* a;
  double* b;
  double* c;
  std::size_t n;
};

// What every element of the arrays must hold: the same operations on three scalars.
struct Expected {
  double a = 1;
  double b = 2;
  double c = 0;
  void apply(Kernel kernel);
};

// Writes the start values, each OpenMP thread its own share: the share that it works on in run().
void initialise(const Arrays& arrays);

// One parallel region over all threads of the OpenMP team; returns when the last has finished.
void run(Kernel kernel, Stores stores, const Arrays& arrays);

// The largest relative error of any element of any array.
double worst_relative_error(const Arrays& arrays, const Expected& expected);

}  // namespace assay::stream
