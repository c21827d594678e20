#include "common/tournament.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace assay {
namespace {

TEST(Tournament, InARoundNobodyPlaysTwiceAndOverAllRoundsEveryPairMeetsOnce) {
  for (std::size_t players = 2; players <= 17; ++players) {
    std::set<std::pair<std::size_t, std::size_t>> met;
    for (std::size_t round = 0; round < tournament_rounds(players); ++round) {
      const auto pairs = tournament_round(players, round);
      EXPECT_EQ(pairs.size(), players / 2) << "round " << round << " of " << players << " players";
      std::set<std::size_t> busy;
      for (const auto& [first, second] : pairs) {
        EXPECT_LT(first, second);
        EXPECT_LT(second, players);
        EXPECT_TRUE(busy.insert(first).second && busy.insert(second).second) << "a player is in two pairs of " << players;
        EXPECT_TRUE(met.insert({first, second}).second) << "a pair meets twice, of " << players;
      }
    }
    EXPECT_EQ(met.size(), players * (players - 1) / 2) << players << " players";
  }
}

TEST(Tournament, TheRestOfAnOddNumberTakesTurns) {
  EXPECT_EQ(tournament_rounds(6), 5U);
  EXPECT_EQ(tournament_rounds(7), 7U);
  std::set<std::size_t> rested{0, 1, 2, 3, 4, 5, 6};
  for (std::size_t round = 0; round < 7; ++round) {
    std::set<std::size_t> resting{0, 1, 2, 3, 4, 5, 6};
    for (const auto& [first, second] : tournament_round(7, round)) {
      resting.erase(first);
      resting.erase(second);
    }
    ASSERT_EQ(resting.size(), 1U);
    EXPECT_EQ(rested.erase(*resting.begin()), 1U) << "rests twice";
  }
}

TEST(Tournament, OnePlayerHasNoRounds) {
  EXPECT_EQ(tournament_rounds(0), 0U);
  EXPECT_EQ(tournament_rounds(1), 0U);
}

}  // namespace
}  // namespace assay
