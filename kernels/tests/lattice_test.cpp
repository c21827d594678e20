#include "md/lattice.hpp"

#include <set>

#include <gtest/gtest.h>

namespace assay::md {
namespace {

constexpr int kLayers = 8;

TEST(Lattice, NumbersEveryAtomOnceAndBack) {
  std::set<int> seen;
  for (int z = -kBlockEdge; z < kLayers + kBlockEdge; ++z) {
    for (int y = 0; y < kCellsAcross; ++y) {
      for (int x = 0; x < kCellsAcross; ++x) {
        for (int site = 0; site < kAtomsPerCell; ++site) {
          const int atom = atom_at({x, y, z}, site, kLayers);
          seen.insert(atom);
          if (z < 0 || z >= kLayers) {
            EXPECT_GE(atom, atoms_per_slab(kLayers));
            continue;
          }
          const Cell cell = cell_of(atom);
          EXPECT_TRUE(cell.x == x && cell.y == y && cell.z == z && site_of(atom) == site);
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(atoms_per_slab(kLayers) + 2 * kAtomsPerBand));
  EXPECT_EQ(*seen.rbegin(), atoms_per_slab(kLayers) + 2 * kAtomsPerBand - 1);
}

TEST(Lattice, EveryAtomOfARegionHasASlotOfItsOwn) {
  std::set<int> slots;
  for (int z = 0; z < kRegionEdge; ++z) {
    for (int y = 0; y < kRegionEdge; ++y) {
      for (int x = 0; x < kRegionEdge; ++x) {
        for (int site = 0; site < kAtomsPerCell; ++site) slots.insert(slot_at({x, y, z}, site));
      }
    }
  }
  EXPECT_EQ(slots.size(), static_cast<std::size_t>(kSlots));
  EXPECT_EQ(*slots.rbegin(), kSlots - 1);
}

TEST(Lattice, HalfAWarpReadsSixteenDifferentBanks) {
  for (int y = 0; y <= 2 * kReach; ++y) {
    for (int x = 0; x <= 2 * kReach; ++x) {
      std::set<int> banks;
      for (int lane = 0; lane < 16; ++lane) banks.insert(slot_at({x + lane % 4, y + lane / 4, 3}, 1) % 16);
      EXPECT_EQ(banks.size(), 16U) << x << " " << y;
    }
  }
}

TEST(Lattice, HasTheDensityOfTheBenchmark) {
  EXPECT_NEAR(kAtomsPerCell / (kCellEdge * kCellEdge * kCellEdge), 0.8442, 1e-6);
}

TEST(Lattice, CountsAsShocDoes) { EXPECT_EQ(flops(78, 54), 8 * 78 + 13 * 54); }

class Crystal : public ::testing::Test {
 protected:
  std::vector<std::vector<Vector>> one{initial_positions(0, kLayers, 1)};
  std::vector<std::vector<Vector>> two{initial_positions(0, kLayers, 1), initial_positions(1, kLayers, 1)};
};

TEST_F(Crystal, HasFiftyFourAtomsWithinTheCutoffAlsoAtTheEdges) {
  const int last = atoms_per_slab(kLayers) - 1;
  for (const int atom : {0, last / 2, last}) EXPECT_EQ(reference_force(one, kLayers, 0, atom).inside, 54);
  for (const int slab : {0, 1}) {
    for (const int atom : {0, last}) EXPECT_EQ(reference_force(two, kLayers, slab, atom).inside, 54);
  }
}

TEST_F(Crystal, ForcesAreSmallDifferencesOfLargeOnes) {
  const Reference reference = reference_force(one, kLayers, 0, 1000);
  EXPECT_LT(std::hypot(reference.force.x, reference.force.y, reference.force.z), reference.scale);
  EXPECT_GT(reference.scale, 1);
}

TEST(PairForce, IsThatOfLennardAndJones) {
  // Two atoms at the distance r: 24 (2 / r^13 - 1 / r^7), repelling below 2^(1/6).
  const std::vector<std::vector<Vector>> pair{{{10, 10, 5}, {11.1, 10, 5}}};
  const Reference reference = reference_force(pair, 64, 0, 0);
  const double r = 1.1;
  EXPECT_NEAR(reference.force.x, -24 * (2 / std::pow(r, 13) - 1 / std::pow(r, 7)), 1e-12);
  EXPECT_EQ(reference.inside, 1);
  const std::vector<std::vector<Vector>> across{{{0.1, 10, 5}, {kWidth - 1.0, 10, 5}}};
  EXPECT_NEAR(reference_force(across, 64, 0, 0).force.x, -reference.force.x, 1e-10);
}

}  // namespace
}  // namespace assay::md
