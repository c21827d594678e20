// The stencil beside what its scheme does to a Fourier mode and beside the differential equation; the GPU's kernel, compiled for the host, beside
// the host's loops.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stencil/host_slab.hpp"
#include "stencil-gpu/kernels.hpp"

namespace assay::stencil {
namespace {

double error_of(Slab& slab, int steps, const Factors& factors) {
  const Deviation sum = deviation(slab.field(), field_after(slab.shape(), factors, steps));
  return std::sqrt(sum.error / sum.norm);
}

TEST(Stencil, AStepMultipliesAModeByTheSchemesFactor) {
  for (const bool is_double : {false, true}) {
    const auto slab = make_host_slab({20, 9, 14, 1, 0}, is_double, {});
    slab->start();
    slab->step(10);
    const double epsilon = is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    EXPECT_LT(error_of(*slab, 10, slab->factors()), 10 * epsilon);
    EXPECT_LT(std::abs(slab->factors().mode), 0.995) << "it decays";
    EXPECT_NEAR(std::abs(slab->factors().constant), 1, 2 * epsilon);
  }
}

// The same velocity, viscosity and time, with twice as many cells along each axis and half the time step.
double distance_from_equation(int times) {
  const Mode mode{0.6 / times, 0.5 / times, 0.4 / times};
  const int steps = 10 * times;
  return std::abs(std::pow(amplification(Weights<double>::make(times), mode), steps) - std::pow(exact_amplification(mode, times), steps));
}

TEST(Stencil, TheDistanceFromTheEquationFallsWithTheSecondPowerOfTheCell) {
  const double coarse = distance_from_equation(1);
  const double fine = distance_from_equation(2);
  const double finer = distance_from_equation(4);
  EXPECT_LT(coarse, 0.05);
  EXPECT_GT(coarse / fine, 4);
  EXPECT_GT(fine / finer, 4);
}

TEST(Stencil, ADamagedCellIsSeen) {
  const auto slab = make_host_slab({20, 9, 14, 1, 0}, false, {});
  slab->start();
  slab->step(3);
  slab->damage();
  slab->step(3);
  EXPECT_FALSE(error_of(*slab, 6, slab->factors()) < 1e-3);
}

template <typename Real>
void expect_kernel_as_host(double tolerance) {
  const Shape shape{70, 10, 40, 1, 0};
  const std::size_t ghost = kReach * shape.row_cells();
  const auto mode = field_after(shape, {1, 1}, 0);
  std::vector<Real> start(shape.stored()), first(shape.stored()), second(shape.stored());
  std::copy(mode.begin(), mode.end(), start.begin() + static_cast<std::ptrdiff_t>(ghost));
  const auto stage = [&](std::vector<Real>& now, std::vector<Real>& next, int number) {
    std::copy_n(now.begin() + static_cast<std::ptrdiff_t>(shape.cells()), ghost, now.begin());
    std::copy_n(now.begin() + static_cast<std::ptrdiff_t>(ghost), ghost, now.begin() + static_cast<std::ptrdiff_t>(ghost + shape.cells()));
    const Real* began = start.data() + ghost;
    const Real* from = now.data() + ghost;
    const auto share = static_cast<Real>(kStageShare[number]);
    for (const auto& [begin, end] : {std::pair{0, kReach}, std::pair{shape.rows - kReach, shape.rows}, std::pair{kReach, shape.rows - kReach}}) {
      queue_stage(Weights<Real>::make(), share, began, from, next.data() + ghost, shape.nx, shape.nz, begin, end, nullptr);
    }
  };
  stage(start, first, 0);
  stage(first, second, 1);
  stage(second, start, 2);
  const auto slab = make_host_slab(shape, sizeof(Real) == 8, {});
  slab->start();
  slab->step(1);
  const auto field = slab->field();
  for (std::size_t i = 0; i < field.size(); ++i) ASSERT_NEAR(static_cast<double>(start[ghost + i]), field[i], tolerance) << "cell " << i;
}

TEST(StencilKernels, MakeTheStepThatTheHostMakes) { expect_kernel_as_host<float>(1e-6); }

}  // namespace
}  // namespace assay::stencil
