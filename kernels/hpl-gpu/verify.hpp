// HPL's check of the solution, with the matrix made anew.
#pragma once

#include <cstdint>
#include <vector>

#include "hpl-gpu/backend.hpp"
#include "hpl-gpu/layout.hpp"
#include "hpl-gpu/team.hpp"

namespace assay::hplgpu {

inline constexpr double kThreshold = 16.0;

// Norms are maximum norms; that of A is the largest sum of a row. NaN where any value is.
struct Residual {
  double difference = 0;  // ||Ax - b||
  double matrix = 0;      // ||A||
  double solution = 0;    // ||x||
  double right_side = 0;  // ||b||
  double scaled = 0;      // ||Ax - b|| / (eps (||A|| ||x|| + ||b||) N)
  bool passed() const { return scaled < kThreshold; }
};

double largest(const std::vector<double>& values);

// The same with its scaled residual.
Residual scaled(Residual norms, std::int64_t order);

// products = A x, sums of the rows of |A|.
Residual residual_of(const std::vector<double>& products, const std::vector<double>& sums, const std::vector<double>& x);

// The same on all ranks. x: on the device. room: for two vectors, on the device.
Residual verify(const Layout& layout, Backend& backend, Team& team, const double* x, double* room);

}  // namespace assay::hplgpu
