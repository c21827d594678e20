// The stencil beside what its scheme does to a Fourier mode and beside the differential equation; the GPU's kernel, compiled for the host, beside
// the host's loops.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "stencil/benchmark.hpp"
#include "stencil/host_slab.hpp"
#include "stencil-gpu/kernels.hpp"
#include "stencil-gpu/tiled.hpp"

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

TEST(Stencil, TheMemoryIsThatOfThreeFieldsAndTwoCopies) {
  constexpr std::int64_t kRow = 256 * 64;
  EXPECT_EQ(memory_bytes({256, 64, 4096, 1, 0}, false), kRow * (3 * 4 * (4096 + 6) + 2 * 8 * 4096));
  EXPECT_EQ(memory_bytes({256, 64, 4096, 1, 0}, true), kRow * (3 * 8 * (4096 + 6) + 2 * 8 * 4096));
  EXPECT_GT(memory_bytes({16384, 1024, 65536 * 4096, 1, 0}, true), std::int64_t{1} << 55) << "the options' bounds do not overflow";
}

// At rank 511 the angle has made hundreds of turns, and every turn that is rounded costs some of it.
TEST(Stencil, TheFieldIsAsExactOnTheLastOfManyRanks) {
  const Shape shape{16, 8, 64, 512, 511};
  const auto field = field_after(shape, {1, 1}, 0);
  constexpr long double kTurn = 6.283185307179586476925286766559L;
  double largest = 0;
  for (int y = 0; y < shape.rows; ++y) {
    const auto turns = static_cast<long double>(513LL * (y + 64LL * 511) % (64 * 512)) / (64 * 512);
    const double expected = static_cast<double>(1 + 0.5L * std::cos(kTurn * turns));
    largest = std::max(largest, std::abs(field[static_cast<std::size_t>(y) * shape.row_cells()] - expected));
  }
  EXPECT_LT(largest, 4 * std::numeric_limits<double>::epsilon());
}

TEST(Stencil, OneWrongCellOfMillionsIsTooMuch) {
  constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
  constexpr double kCells = 33.5e6;
  const double healthy = 2.5 * kEpsilon;  // as large as a cell's has been seen
  EXPECT_LT(of_bound({kCells * kEpsilon * kEpsilon, kCells, healthy}, false), 0.05);
  EXPECT_GT(of_bound({kCells * kEpsilon * kEpsilon + 1e-10, kCells, 1e-5}, false), 1);
  EXPECT_GT(of_bound({1e-10, kCells, std::numeric_limits<double>::infinity()}, false), 1);
  EXPECT_GT(of_bound({std::nan(""), kCells, 0}, false), 1);
  EXPECT_EQ(deviation({1, std::nan(""), 1}, {1, 1, 1}).largest, std::numeric_limits<double>::infinity());
}

TEST(Stencil, ADamagedCellIsSeen) {
  const auto slab = make_host_slab({20, 9, 14, 1, 0}, false, {});
  slab->start();
  slab->step(3);
  slab->damage();
  slab->step(3);
  EXPECT_FALSE(error_of(*slab, 6, slab->factors()) < 1e-3);
}

// A field with the neighbours' rows, and what advances it by a stage: called with the field's row 0 before the step, before and after the stage.
template <typename Real>
using Stage = std::function<void(Real share, const Real* start, const Real* now, Real* next)>;

template <typename Real>
void expect_kernel_as_host(const Shape& shape, double tolerance, const Stage<Real>& advance) {
  const std::size_t ghost = kReach * shape.row_cells();
  const auto mode = field_after(shape, {1, 1}, 0);
  std::vector<Real> start(shape.stored()), first(shape.stored()), second(shape.stored());
  std::copy(mode.begin(), mode.end(), start.begin() + static_cast<std::ptrdiff_t>(ghost));
  const auto stage = [&](std::vector<Real>& now, std::vector<Real>& next, int number) {
    std::copy_n(now.begin() + static_cast<std::ptrdiff_t>(shape.cells()), ghost, now.begin());
    std::copy_n(now.begin() + static_cast<std::ptrdiff_t>(ghost), ghost, now.begin() + static_cast<std::ptrdiff_t>(ghost + shape.cells()));
    advance(static_cast<Real>(kStageShare[number]), start.data() + ghost, now.data() + ghost, next.data() + ghost);
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

TEST(StencilKernels, MakeTheStepThatTheHostMakes) {
  const Shape shape{70, 10, 40, 1, 0};
  expect_kernel_as_host<float>(shape, 1e-6, [&](float share, const float* start, const float* now, float* next) {
    for (const auto& [begin, end] : {std::pair{0, kReach}, std::pair{shape.rows - kReach, shape.rows}, std::pair{kReach, shape.rows - kReach}}) {
      queue_stage(Weights<float>::make(), share, start, now, next, shape.nx, shape.nz, begin, end, nullptr);
    }
  });
}

// Tiles that reach beyond the grid along x and z, in chunks of fewer rows than there are.
template <typename Real>
void expect_tiles_as_host(const Shape& shape, bool wraps, double tolerance) {
  const Tiling tiling{shape.nx, shape.nz, shape.rows, 4, 5, wraps};
  expect_kernel_as_host<Real>(shape, tolerance, [&](Real share, const Real* start, const Real* now, Real* next) {
    const auto queue = [&](const Chunks& chunks) { queue_tiles(tiling, chunks, Weights<Real>::make(), share, start, now, next, nullptr); };
    if (wraps) return queue(all_rows(tiling, 0, shape.rows, sizeof(Real)));
    queue(outer_rows(tiling));
    queue(all_rows(tiling, kReach, shape.rows - kReach, sizeof(Real)));
  });
}

TEST(StencilTiles, MakeTheStepThatTheHostMakes) { expect_tiles_as_host<float>({132, 6, 19, 1, 0}, false, 1e-6); }
TEST(StencilTiles, WrapRowsThemselves) { expect_tiles_as_host<float>({20, 9, 13, 1, 0}, true, 1e-6); }
TEST(StencilTiles, MakeTheStepInDoublePrecision) { expect_tiles_as_host<double>({34, 5, 14, 1, 0}, true, 1e-14); }

}  // namespace
}  // namespace assay::stencil
