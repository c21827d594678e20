#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "mpibench/last_words.hpp"
#include "mpibench/plan.hpp"

namespace assay::mpibench {
namespace {

TEST(Mpibench, EndpointsAreHostsInTheOrderOfTheirFirstRanks) {
  const auto endpoints = endpoints_of({"b", "a", "b", "a", "c"});
  ASSERT_EQ(endpoints.size(), 3u);
  EXPECT_EQ(endpoints[0].name, "b");
  EXPECT_EQ(endpoints[0].ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(endpoints[1].name, "a");
  EXPECT_EQ(endpoints[2].ranks, (std::vector<int>{4}));
}

TEST(Mpibench, RanksOfASingleHostAreEndpointsOfTheirOwn) {
  const auto endpoints = endpoints_of({"a", "a"});
  ASSERT_EQ(endpoints.size(), 2u);
  EXPECT_EQ(endpoints[0].name, "a#0");
  EXPECT_EQ(endpoints[1].name, "a#1");
}

// A part's name has at most 128 characters.
TEST(Mpibench, LongNamesKeepTheEndThatTellsThemApart) {
  const std::string host(200, 'x');
  const auto endpoints = endpoints_of({host + "1", host + "2"});
  ASSERT_EQ(endpoints.size(), 2u);
  EXPECT_NE(endpoints[0].name, endpoints[1].name);
  EXPECT_LE(undirected(endpoints[0].name, endpoints[1].name).size(), 128u);
  const auto ranks = endpoints_of(std::vector<std::string>(65536, host));
  EXPECT_LE(undirected(ranks[65534].name, ranks[65535].name).size(), 128u);
  EXPECT_EQ(part_name("ip-10-213-77-11.ap-southeast-1.compute.internal"), "ip-10-213-77-11.ap-southeast-1.compute.internal");
}

TEST(Mpibench, ShortNameEndsAtTheFirstDot) {
  EXPECT_EQ(short_name("node-1.rack-7.example"), "node-1");
  EXPECT_EQ(short_name("node-1"), "node-1");
}

TEST(Mpibench, RoundsAreBounded) {
  EXPECT_EQ(pair_rounds(64, 4, 512).size(), 4u);
  std::size_t pairs = 0;
  for (const auto& round : pair_rounds(2000, 4, 512)) pairs += round.size();
  EXPECT_EQ(pairs, 512u) << "a document holds no more";
  EXPECT_EQ(pair_rounds(2, 4, 512).size(), 1u);
}

TEST(Mpibench, FirstRankOfEachHostTakesPartAndTheOthersWait) {
  const auto endpoints = endpoints_of({"a", "a", "b", "b"});
  const auto roles = roles_of({{0, 1}}, endpoints, 4, false, false);
  EXPECT_EQ(roles[0].peer, 2);
  EXPECT_TRUE(roles[0].leads);
  EXPECT_EQ(roles[2].peer, 0);
  EXPECT_FALSE(roles[2].leads);
  EXPECT_EQ(roles[1].pair, -1);
  EXPECT_EQ(roles[3].pair, -1);
  EXPECT_TRUE(roles_of({{0, 1}}, endpoints, 4, false, true)[2].leads) << "the other direction";
}

TEST(Mpibench, MessageRateUsesAsManyRanksAsBothHostsHave) {
  const auto roles = roles_of({{0, 1}}, endpoints_of({"a", "a", "a", "b", "b"}), 5, true, false);
  EXPECT_EQ(roles[0].peer, 3);
  EXPECT_EQ(roles[1].peer, 4);
  EXPECT_EQ(roles[4].peer, 1);
  EXPECT_EQ(roles[2].pair, -1) << "has no partner";
}

TEST(Mpibench, SweepDoublesAndEndsWithTheLargest) {
  EXPECT_EQ(sweep_sizes(8), (std::vector<std::size_t>{1, 2, 4, 8}));
  EXPECT_EQ(sweep_sizes(10), (std::vector<std::size_t>{1, 2, 4, 8, 10}));
  EXPECT_EQ(sweep_sizes(4 << 20).size(), 23u);
}

TEST(Mpibench, PartsAreNamedByWayAndSize) {
  EXPECT_EQ(directed("node-1", "node-2"), "node-1->node-2");
  EXPECT_EQ(undirected("node-1", "node-2"), "node-1<->node-2");
  EXPECT_EQ(size_part(65536), "65536 B");
}

TEST(Mpibench, WindowShrinksOnlyOnASlowLink) {
  EXPECT_EQ(window_within(64, 1e-3, 0.1), 64);
  EXPECT_EQ(window_within(64, 2e-3, 0.1), 32);
  EXPECT_EQ(window_within(64, 10, 0.1), 4) << "something has to be under way";
  EXPECT_EQ(window_within(1, 10, 0.1), 1);
}

TEST(Mpibench, IterationsFillASample) {
  EXPECT_EQ(iterations_within(1e-6, 0.01), 10000);
  EXPECT_EQ(iterations_within(1, 0.01), 1);
  EXPECT_EQ(iterations_within(0, 0.01), 100000) << "a clock that did not move";
}

// nccl-tests' factors: 2 (n - 1) / n and (n - 1) / n.
TEST(Mpibench, BusBandwidthIsWhatTheBusiestLinkCarries) {
  EXPECT_DOUBLE_EQ(allreduce_bus_bandwidth(1000000000, 1, 2), 1);
  EXPECT_DOUBLE_EQ(allreduce_bus_bandwidth(1000000000, 1, 4), 1.5);
  EXPECT_DOUBLE_EQ(alltoall_bus_bandwidth(1000000000, 0.5, 4), 1.5);
}

TEST(Mpibench, ASegmentationFaultStillLeavesAComplaint) {
  EXPECT_EXIT(
      {
        leave_last_words("", "MPI died\n");
        raise(SIGSEGV);
      },
      testing::ExitedWithCode(1), "MPI died");
}

}  // namespace
}  // namespace assay::mpibench
