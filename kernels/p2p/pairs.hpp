// Which GPUs are measured with which, and when several pairs may run at once. Host code only.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/tournament.hpp"

namespace assay::p2p {

struct Pair {
  int from;
  int to;
  bool operator==(const Pair& other) const { return from == other.from && to == other.to; }
};

inline std::string directed(const Pair& pair) {
  return "gpu" + std::to_string(pair.from) + "->gpu" + std::to_string(pair.to);
}
inline std::string both_ways(const Pair& pair) {
  return "gpu" + std::to_string(pair.from) + "<->gpu" + std::to_string(pair.to);
}

// All (i, j) with i != j, by rows.
inline std::vector<Pair> ordered_pairs(int gpus) {
  std::vector<Pair> pairs;
  for (int from = 0; from < gpus; ++from) {
    for (int to = 0; to < gpus; ++to) {
      if (from != to) pairs.push_back({from, to});
    }
  }
  return pairs;
}

// All (i, j) with i < j.
inline std::vector<Pair> unordered_pairs(int gpus) {
  std::vector<Pair> pairs;
  for (int from = 0; from < gpus; ++from) {
    for (int to = from + 1; to < gpus; ++to) pairs.push_back({from, to});
  }
  return pairs;
}

// The rounds of a tournament: in each, every GPU is in one pair at most, and all of its pairs may exchange at once.
inline std::vector<std::vector<Pair>> disjoint_matchings(int gpus) {
  const auto players = static_cast<std::size_t>(gpus);
  std::vector<std::vector<Pair>> rounds;
  for (std::size_t round = 0; round < tournament_rounds(players); ++round) {
    auto& pairs = rounds.emplace_back();
    for (const auto& [first, second] : tournament_round(players, round)) {
      pairs.push_back({static_cast<int>(first), static_cast<int>(second)});
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.from < b.from; });
  }
  return rounds;
}

}  // namespace assay::p2p
