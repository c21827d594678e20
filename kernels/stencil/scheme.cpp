#include "stencil/scheme.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace assay::stencil {
namespace {

constexpr double kTwoPi = 6.283185307179586477;
constexpr std::int64_t kWavesAlongX = 3;

// The angle of a cell, along an axis of so many cells with so many waves. Whole turns are left out before anything is rounded: they would cost
// a digit for every ten of them.
std::complex<double> phase(std::int64_t waves, std::int64_t cell, std::int64_t cells) {
  return std::polar(1.0, kTwoPi * static_cast<double>(waves * cell % cells) / static_cast<double>(cells));
}

}  // namespace

Mode mode_of(const Shape& shape) { return {kTwoPi * kWavesAlongX / shape.nx, kTwoPi * (shape.ranks + 1) / (static_cast<double>(shape.rows) * shape.ranks), kTwoPi / shape.nz}; }

template <typename Real>
std::complex<double> amplification(const Weights<Real>& weights, const Mode& mode) {
  std::complex<double> rate = 0;
  for (int i = 0; i < kWidth; ++i) {
    const double offset = i - kReach;
    rate += static_cast<double>(weights.x[i]) * std::polar(1.0, mode.x * offset);
    rate += static_cast<double>(weights.y[i]) * std::polar(1.0, mode.y * offset);
    rate += static_cast<double>(weights.z[i]) * std::polar(1.0, mode.z * offset);
  }
  std::complex<double> factor = 1;
  for (const double share : kStageShare) factor = 1.0 + static_cast<double>(static_cast<Real>(share)) * rate * factor;
  return factor;
}

template std::complex<double> amplification(const Weights<float>&, const Mode&);
template std::complex<double> amplification(const Weights<double>&, const Mode&);

std::complex<double> exact_amplification(const Mode& mode, double times) {
  const double squared = mode.x * mode.x + mode.y * mode.y + mode.z * mode.z;
  const double angle = kCourantX * mode.x + kCourantY * mode.y + kCourantZ * mode.z;
  return std::exp(std::complex<double>(-kDiffusion * times * squared, -angle));
}

std::vector<double> field_after(const Shape& shape, const Factors& factors, int steps) {
  const double constant = std::pow(factors.constant, steps).real();
  const std::complex<double> amplitude = kAmplitude * std::pow(factors.mode, steps);
  std::vector<std::complex<double>> along_x, along_z;
  for (int i = 0; i < shape.nx; ++i) along_x.push_back(phase(kWavesAlongX, i, shape.nx));
  for (int i = 0; i < shape.nz; ++i) along_z.push_back(phase(1, i, shape.nz));
  const std::int64_t rows = shape.rows;
  std::vector<double> field;
  field.reserve(shape.cells());
  for (int y = 0; y < shape.rows; ++y) {
    const std::complex<double> of_row = amplitude * phase(shape.ranks + 1, y + rows * shape.rank, rows * shape.ranks);
    for (const auto& z : along_z) {
      const std::complex<double> of_line = of_row * z;
      for (const auto& x : along_x) field.push_back(constant + of_line.real() * x.real() - of_line.imag() * x.imag());
    }
  }
  return field;
}

Deviation deviation(const std::vector<double>& field, const std::vector<double>& expected) {
  Deviation sum;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const double difference = std::abs(field[i] - expected[i]);
    sum.error += difference * difference;
    sum.largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(sum.largest, difference);
    sum.norm += expected[i] * expected[i];
  }
  return sum;
}

}  // namespace assay::stencil
