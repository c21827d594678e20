#include "stencil/scheme.hpp"

namespace assay::stencil {
namespace {

constexpr double kTwoPi = 6.283185307179586477;

}  // namespace

Mode mode_of(const Shape& shape) { return {kTwoPi * 3 / shape.nx, kTwoPi * (shape.ranks + 1) / (shape.rows * shape.ranks), kTwoPi / shape.nz}; }

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
  const Mode mode = mode_of(shape);
  const double constant = std::pow(factors.constant, steps).real();
  const std::complex<double> amplitude = kAmplitude * std::pow(factors.mode, steps);
  std::vector<std::complex<double>> along_x, along_z;
  for (int i = 0; i < shape.nx; ++i) along_x.push_back(std::polar(1.0, mode.x * i));
  for (int i = 0; i < shape.nz; ++i) along_z.push_back(std::polar(1.0, mode.z * i));
  std::vector<double> field;
  field.reserve(shape.cells());
  for (int y = 0; y < shape.rows; ++y) {
    const std::complex<double> of_row = amplitude * std::polar(1.0, mode.y * (y + static_cast<double>(shape.rows) * shape.rank));
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
    sum.error += (field[i] - expected[i]) * (field[i] - expected[i]);
    sum.norm += expected[i] * expected[i];
  }
  return sum;
}

}  // namespace assay::stencil
