// The plasma beside linear theory, and the GPU's kernels, compiled for the host, beside the host's loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pic/host_plasma.hpp"
#include "pic/kernels.hpp"

namespace assay::pic {
namespace {

// A wave of k = 0.5 in a plasma without rings: w = 1.4156 - 0.1533 i, as every textbook has it.
TEST(Pic, TheoryHasLandausDampingAndFrequency) {
  constexpr double kStep = 0.02;
  const auto density = theory(0, 0.5, 1, 1500, kStep);
  std::vector<double> peaks, at;
  for (std::size_t i = 250; i + 1 < density.size(); ++i) {
    if (std::abs(density[i]) > std::abs(density[i - 1]) && std::abs(density[i]) >= std::abs(density[i + 1])) {
      peaks.push_back(std::abs(density[i]));
      at.push_back(static_cast<double>(i) * kStep);
    }
  }
  ASSERT_GE(peaks.size(), 6U);
  EXPECT_NEAR(std::log(peaks[5] / peaks[0]) / (at[5] - at[0]), -0.1533, 0.001);
  EXPECT_NEAR(5 * 3.14159265 / (at[5] - at[0]), 1.4156, 0.01);
}

TEST(Pic, AWaveIsDampedAsTheorySays) {
  constexpr int kSteps = 45;
  HostPlasma plasma({16, 8, 16}, 16);
  const auto expected = theory_on(kSteps);
  double first = 0;
  for (int i = 0; i < kSteps; ++i) {
    plasma.step();
    if (i == 0) first = plasma.wave().real();
    EXPECT_NEAR(plasma.wave().real() / first, expected[static_cast<std::size_t>(i)], 0.03) << "step " << i;
  }
  EXPECT_NEAR(first, kAmplitude, 0.15 * kAmplitude) << "less what the ring takes from it";
}

TEST(Pic, ChargeIsExactAndMomentumConserved) {
  HostPlasma plasma({16, 2, 16}, 4);
  const auto momentum = [&] { return std::accumulate(plasma.coordinates().v.begin(), plasma.coordinates().v.end(), 0.0); };
  const double before = momentum();
  for (int i = 0; i < 5; ++i) plasma.step();
  const auto total = std::accumulate(plasma.charge().begin(), plasma.charge().end(), std::uint64_t{0});
  EXPECT_EQ(total, kChargeOfMarker * plasma.coordinates().x.size());
  EXPECT_NEAR(momentum(), before, 1e-6 * static_cast<double>(plasma.coordinates().x.size()));
}

TEST(PicKernels, MakeTheStepThatTheHostMakes) {
  const Grid grid{16, 2, 16};
  HostPlasma plasma(grid, 1);
  Start start = plasma.coordinates();
  const Markers markers{start.x.data(), start.y.data(), start.z.data(), start.v.data()};
  const std::size_t cells = plasma.cells();
  std::vector<unsigned long long> charge(cells);
  std::vector<double> numbers(cells);
  std::vector<Force> forces(cells);
  std::vector<Complex> density(2 * cells), components(6 * cells), circle16, circle2;
  for (int i = 0; i < 16; ++i) circle16.push_back({std::cos(0.39269908F * static_cast<float>(i)), std::sin(0.39269908F * static_cast<float>(i))});
  for (int i = 0; i < 2; ++i) circle2.push_back({i == 0 ? 1.0F : -1.0F, 0});
  Complex wave{};
  queue_deposit(grid, markers, start.x.size(), charge.data(), nullptr);
  queue_numbers(grid, charge.data(), numbers.data(), nullptr);
  queue_solve(grid, numbers.data(), 1 / static_cast<double>(kChargeOfMarker),
              {{density.data(), density.data() + cells}, {components.data(), components.data() + 3 * cells}, {circle16.data(), circle2.data(), circle16.data()}},
              forces.data(), &wave, nullptr);
  queue_push(grid, markers, start.x.size(), forces.data(), static_cast<float>(kTimeStep / 2), nullptr);
  plasma.step();
  EXPECT_EQ(charge, plasma.charge());
  EXPECT_NEAR(static_cast<double>(wave.re), plasma.wave().real(), 1e-6);
  double most = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    most = std::max(most, static_cast<double>(std::abs(forces[i].z)));
    ASSERT_NEAR(forces[i].x, plasma.forces()[i].x, 1e-6);
    ASSERT_NEAR(forces[i].y, plasma.forces()[i].y, 1e-6);
    ASSERT_NEAR(forces[i].z, plasma.forces()[i].z, 1e-6);
  }
  EXPECT_GT(most, 1e-3) << "there are forces at all";
  for (std::size_t i = 0; i < start.x.size(); ++i) {
    ASSERT_NEAR(start.z[i], plasma.coordinates().z[i], 1e-5);
    ASSERT_NEAR(start.v[i], plasma.coordinates().v[i], 1e-6);
  }
}

}  // namespace
}  // namespace assay::pic
