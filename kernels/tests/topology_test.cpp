#include "common/host/topology.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::vector<std::string> names(const std::vector<Place>& places) {
  std::vector<std::string> result;
  for (const Place& place : places) result.push_back(place.name);
  return result;
}

TEST(Topology, OneThreadPerCoreOfEachPlace) {
  const Topology topology("pack:2 numa:2 l3:2 core:4 pu:2");
  EXPECT_EQ(topology.node().cpus.size(), 32u);
  const auto sockets = topology.sockets();
  ASSERT_EQ(sockets.size(), 2u);
  EXPECT_EQ(sockets[1].cpus.size(), 16u);
  EXPECT_EQ(sockets[1].memory, (std::vector<unsigned>{2, 3}));
  const auto domains = topology.numa_domains();
  ASSERT_EQ(domains.size(), 4u);
  EXPECT_EQ(domains[3].cpus, (std::vector<unsigned>{48, 50, 52, 54, 56, 58, 60, 62}));
  EXPECT_EQ(domains[3].memory, std::vector<unsigned>{3});
}

TEST(Topology, LastLevelCacheIsTheSumOverThePlace) {
  const Topology topology("pack:2 numa:1 l3:3(size=32MB) core:2 pu:1");
  const std::int64_t l3 = topology.numa_domains()[0].last_level_cache_bytes / 3;
  EXPECT_GT(l3, 0);
  EXPECT_EQ(topology.node().last_level_cache_bytes, 6 * l3);
}

TEST(Topology, MemoryIsTheSumOverTheDomains) {
  const Topology topology("pack:2 numa:2(memory=1GB) core:2 pu:1");
  EXPECT_GT(topology.numa_domains()[0].memory_bytes, 0);
  EXPECT_EQ(topology.node().memory_bytes, 4 * topology.numa_domains()[0].memory_bytes);
}

TEST(Topology, PlacesWithTheSameCpusAreListedOnce) {
  EXPECT_EQ(names(distinct_places(Topology("pack:1 numa:1 core:4 pu:1"))), std::vector<std::string>{"node"});
  EXPECT_EQ(names(distinct_places(Topology("pack:2 numa:1 core:4 pu:1"))),
            (std::vector<std::string>{"node", "socket0", "socket1"}));
  EXPECT_EQ(names(distinct_places(Topology("pack:1 numa:2 core:4 pu:1"))),
            (std::vector<std::string>{"node", "numa0", "numa1"}));
  EXPECT_EQ(names(distinct_places(Topology("pack:2 numa:2 core:4 pu:1"))).size(), 7u);
}

TEST(Topology, ThisMachineHasACpuThatWeMayUse) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const Place node = Topology().node();
  ASSERT_FALSE(node.cpus.empty());
  for (unsigned cpu : node.cpus) EXPECT_TRUE(CPU_ISSET(cpu, &allowed)) << cpu;
}

TEST(Topology, NarrowerAffinityMaskIsRespected) {
  cpu_set_t before, one;
  CPU_ZERO(&before);
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const unsigned last = Topology().node().cpus.back();
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(Topology().node().cpus, std::vector<unsigned>{last});
  sched_setaffinity(0, sizeof before, &before);
}

TEST(Topology, NonsenseIsRefused) { EXPECT_THROW(Topology("seven cores"), std::invalid_argument); }

}  // namespace
}  // namespace assay
