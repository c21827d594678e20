#include "nbody/physics.hpp"

#include <gtest/gtest.h>

namespace assay::nbody {
namespace {

TEST(NBody, CountsThirtyFlopsForEveryPairAndStep) {
  EXPECT_DOUBLE_EQ(interactions(1024000, 10), 1.048576e13);
  EXPECT_DOUBLE_EQ(flops(1024000, 1), 3.145728e13);
  EXPECT_DOUBLE_EQ(kLargestFractionOfPeak, 0.9375);
}

TEST(NBody, TwoBodiesAttractEachOtherByTheInverseSquareOfTheirDistance) {
  const std::vector<Body> bodies{{0, 0, 0, 3}, {2, 0, 0, 5}};
  const Vector first = reference_acceleration(bodies, 0, 1e-30);
  EXPECT_NEAR(first.x, 5.0 / 4, 1e-15);
  EXPECT_EQ(first.y, 0);
  const Vector second = reference_acceleration(bodies, 1, 1e-30);
  EXPECT_NEAR(second.x, -3.0 / 4, 1e-15);
}

TEST(NBody, SofteningAddsToTheSquareOfTheDistance) {
  const std::vector<Body> bodies{{0, 0, 0, 1}, {0, 3, 0, 1}};
  EXPECT_NEAR(reference_acceleration(bodies, 0, 16).y, 3.0 / 125, 1e-16);
}

TEST(NBody, ForcesOfAllBodiesCancel) {
  const auto bodies = initial_bodies(200, 256, 1);
  Vector sum{0, 0, 0};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vector a = reference_acceleration(bodies, i, 1e-4);
    sum = {sum.x + bodies[i].mass * a.x, sum.y + bodies[i].mass * a.y, sum.z + bodies[i].mass * a.z};
  }
  EXPECT_NEAR(sum.x, 0, 1e-14);
  EXPECT_NEAR(sum.y, 0, 1e-14);
  EXPECT_NEAR(sum.z, 0, 1e-14);
}

TEST(NBody, PaddingHasNoMass) {
  const auto bodies = initial_bodies(3, 8, 1);
  ASSERT_EQ(bodies.size(), 8U);
  EXPECT_GT(bodies[2].mass, 0);
  for (std::size_t i = 3; i < 8; ++i) EXPECT_EQ(bodies[i].mass, 0);
}

}  // namespace
}  // namespace assay::nbody
