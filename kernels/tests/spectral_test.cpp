// The spectral elements beside an exact wave, and the GPU's kernels, compiled for the host, beside the host's loops.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "spectral/host_slab.hpp"
#include "spectral/kernels.hpp"
#include "spectral/solution.hpp"

namespace assay::spectral {
namespace {

// All slabs of a box in this process.
template <typename Real>
class Box {
 public:
  Box(int edge, int layers, int ranks) {
    for (int rank = 0; rank < ranks; ++rank) slabs.emplace_back(Shape{edge, layers, ranks, rank});
  }

  void compute_forces() {
    std::vector<std::vector<Real>> tops, bottoms;
    for (auto& slab : slabs) {
      slab.compute_forces();
      tops.push_back(slab.plane(true));
      bottoms.push_back(slab.plane(false));
    }
    const std::size_t n = slabs.size();
    for (std::size_t i = 0; i < n; ++i) slabs[i].add_planes(bottoms[(i + 1) % n], tops[(i + n - 1) % n]);
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      compute_forces();
      for (auto& slab : slabs) slab.step();
    }
    steps_ += steps;
  }

  double error() {
    Deviation sum;
    for (auto& slab : slabs) {
      const Deviation own = deviation(slab.fields().displacements, exact(slab.mesh().shape, slab.mesh().positions, steps_).displacements);
      sum.error += own.error;
      sum.norm += own.norm;
    }
    return std::sqrt(sum.error / sum.norm);
  }

  double energy() {
    compute_forces();
    double sum = 0;
    for (auto& slab : slabs) sum += slab.energy();
    return sum;
  }

  std::vector<HostSlab<Real>> slabs;

 private:
  int steps_ = 0;
};

TEST(Spectral, DerivativesAreExactForPolynomialsOfOrderFour) {
  for (int power = 0; power <= kOrder; ++power) {
    for (int i = 0; i < kEdge; ++i) {
      double slope = 0;
      for (int j = 0; j < kEdge; ++j) slope += derivative(i, j) * std::pow(kPoints[j], power);
      EXPECT_NEAR(slope, power == 0 ? 0 : power * std::pow(kPoints[i], power - 1), 1e-14) << "point " << i << ", power " << power;
    }
  }
}

TEST(Spectral, WeightsIntegratePolynomialsOfOrderSeven) {
  for (int power = 0; power <= 7; ++power) {
    double integral = 0;
    for (int i = 0; i < kEdge; ++i) integral += kWeights[i] * std::pow(kPoints[i], power);
    EXPECT_NEAR(integral, power % 2 == 0 ? 2.0 / (power + 1) : 0, 1e-14) << "power " << power;
  }
}

TEST(Spectral, TheMassOfASlabIsItsVolume) {
  const auto mesh = make_mesh<double>({3, 4, 2, 1});
  double mass = 0;
  for (int i = 0; i < mesh.count(); ++i) mass += mesh.volume_share(i) / mesh.inverse_mass[static_cast<std::size_t>(i)];
  EXPECT_NEAR(mass, 3 * 3 * 4, 1e-3) << "the integral of a determinant that is no polynomial";
}

// The same time, with half the edge: the box is twice as many elements wide.
TEST(Spectral, TheErrorFallsWithTheFourthPowerOfTheEdgeAtLeast) {
  Box<double> coarse(4, 4, 1);
  Box<double> fine(8, 8, 1);
  coarse.run(10);
  fine.run(20);
  EXPECT_LT(coarse.error(), 0.05);
  EXPECT_GT(coarse.error() / fine.error(), 16);
}

TEST(Spectral, EnergyIsConservedToRounding) {
  Box<double> box(4, 3, 2);
  const double before = box.energy();
  box.run(40);
  EXPECT_GT(before, 1);
  EXPECT_NEAR(box.energy() / before, 1, 1e-12);
}

// Each slab sees the waves in another phase, so forces that went astray are found.
TEST(Spectral, WavesPassFromSlabToSlab) {
  Box<double> box(4, 4, 3);
  box.run(20);
  EXPECT_LT(box.error(), 0.01);
}

// The kernels on one slab that meets itself.
class OnKernels {
 public:
  explicit OnKernels(HostSlab<float>& slab)
      : mesh_(slab.mesh()), u(slab.displacements()), v(u.size()), sums(u.size()),
        packs_(packs_of(mesh_.shape)), packed_(packed(mesh_)), pack_forces_(forces_of_pack(packs_.count())),
        planes_(6 * static_cast<std::size_t>(mesh_.shape.plane_points())) {
    const Fields fields = slab.fields();
    v.assign(fields.velocities.begin(), fields.velocities.end());
  }

  // travels: forces on planes are added up as those that a neighbour needs.
  void step(bool travels) {
    const int plane = mesh_.shape.plane_points();
    float* own = planes_.data();
    const SlabView<float> slab{packed_.properties.data(), packed_.points.data(), mesh_.count(), Rule<float>::make(), mesh_.first_forces.data(),
                               packed_.forces.data(), mesh_.inverse_mass.data(), pack_forces_.data(), own, travels ? own : nullptr,
                               own + 3 * plane, plane};
    queue_pack_forces(slab, packs_, u.data(), 0, packs_.outer(), nullptr);
    if (travels) queue_planes(slab, nullptr);
    queue_pack_forces(slab, packs_, u.data(), packs_.outer(), packs_.count(), nullptr);
    queue_forces(slab, sums.data(), nullptr);
    queue_step(slab, static_cast<float>(time_step()), u.data(), v.data(), nullptr);
  }

 private:
  const Mesh<float>& mesh_;

 public:
  std::vector<float> u, v, sums;

 private:
  Packs packs_;
  PackedMesh<float> packed_;
  std::vector<float> pack_forces_, planes_;
};

float distance(const std::vector<float>& a, const std::vector<float>& b) {
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// Elements of two kinds, neither of which fills whole packs.
class SpectralKernels : public testing::TestWithParam<bool> {};

TEST_P(SpectralKernels, MakeTheStepThatTheHostMakes) {
  HostSlab<float> slab({2, 5, 1, 0});
  OnKernels kernels(slab);
  kernels.step(GetParam());
  slab.compute_forces();
  slab.add_planes(slab.plane(false), slab.plane(true));
  slab.step();
  EXPECT_LT(distance(kernels.sums, slab.forces()), 1e-6F);
  EXPECT_LT(distance(kernels.u, slab.displacements()), 1e-6F);
  EXPECT_GT(distance(kernels.sums, std::vector<float>(kernels.sums.size())), 0.01F) << "there are forces at all";
}
INSTANTIATE_TEST_SUITE_P(AloneAndWithNeighbours, SpectralKernels, testing::Bool());

}  // namespace
}  // namespace assay::spectral
