// Advection and diffusion of a scalar with constant velocity on a periodic grid, as weather models do it: fifth-order upwind differences along
// x and y, third-order along z, second-order diffusion, and three Runge-Kutta stages (Wicker and Skamarock 2002). Host code only, but for the
// numbers that kernels take.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

namespace assay::stencil {

inline constexpr int kReach = 3;  // cells to each side along x and y; along z one less
inline constexpr int kWidth = 2 * kReach + 1;
inline constexpr int kStages = 3;
inline constexpr double kStageShare[kStages] = {1.0 / 3, 1.0 / 2, 1};  // of the time step

// Courant numbers: cells per step. The diffusion number is the same along all axes.
inline constexpr double kCourantX = 0.5;
inline constexpr double kCourantY = 0.3;
inline constexpr double kCourantZ = 0.2;
inline constexpr double kDiffusion = 0.02;

// What neighbours along each axis contribute to the change of a cell in one step. x[kReach] has the cell's own share of all three.
template <typename Real>
struct Weights {
  Real x[kWidth];
  Real y[kWidth];
  Real z[kWidth];

  // times: refinement of the grid at the same velocity, viscosity and Courant number.
  static Weights make(double times = 1) {
    constexpr double kFifth[kWidth] = {-2.0 / 60, 15.0 / 60, -60.0 / 60, 20.0 / 60, 30.0 / 60, -3.0 / 60, 0};
    constexpr double kThird[kWidth] = {0, 1.0 / 6, -6.0 / 6, 3.0 / 6, 2.0 / 6, 0, 0};
    constexpr double kSecond[kWidth] = {0, 0, 1, -2, 1, 0, 0};
    Weights weights{};
    double own = 0;
    for (int i = 0; i < kWidth; ++i) {
      const double spread = kDiffusion * times * kSecond[i];
      const double x = -kCourantX * kFifth[i] + spread;
      const double y = -kCourantY * kFifth[i] + spread;
      const double z = -kCourantZ * kThird[i] + spread;
      if (i == kReach) own = x + y + z;
      weights.x[i] = static_cast<Real>(x);
      weights.y[i] = static_cast<Real>(i == kReach ? 0 : y);
      weights.z[i] = static_cast<Real>(i == kReach ? 0 : z);
    }
    weights.x[kReach] = static_cast<Real>(own);
    return weights;
  }
};

// One rank's cells: x runs fastest, then z (as in WRF), then the rows along y, in which ranks follow one another.
struct Shape {
  int nx;
  int nz;
  int rows;  // at least 2 kReach
  int ranks;
  int rank;

  std::size_t row_cells() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(nz); }
  std::size_t cells() const { return row_cells() * static_cast<std::size_t>(rows); }
  std::size_t stored() const { return row_cells() * static_cast<std::size_t>(rows + 2 * kReach); }  // with the neighbours' rows
};

// 1 + A cos(k r): a constant and one Fourier mode. The number of waves along y differs from that of the ranks, so that each sees another phase.
struct Mode {
  double x, y, z;  // angle from cell to cell
};
Mode mode_of(const Shape& shape);
inline constexpr double kAmplitude = 0.5;

// By what a step multiplies this mode: exactly, but for the rounding of the computation.
template <typename Real>
std::complex<double> amplification(const Weights<Real>& weights, const Mode& mode);

// By what the differential equation does.
std::complex<double> exact_amplification(const Mode& mode, double times = 1);

// The field of a rank after `steps` steps with these factors for the constant and the mode. Sums of squares over the rank, and the largest
// difference of a cell; infinite where one is not a number.
struct Deviation {
  double error = 0;
  double norm = 0;
  double largest = 0;
};
struct Factors {
  std::complex<double> constant;
  std::complex<double> mode;
};
std::vector<double> field_after(const Shape& shape, const Factors& factors, int steps);
Deviation deviation(const std::vector<double>& field, const std::vector<double>& expected);

inline constexpr double kBytesPerCell = 8;       // times the size of a number: stage by stage 2, 3 and 3 of them are read or written
inline constexpr double kOperationsPerCell = kStages * (17 + 16 + 2);

}  // namespace assay::stencil
