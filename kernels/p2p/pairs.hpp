// Which GPUs are measured with which, and when several pairs may run at once. Host code only.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

// Rounds of a round-robin tournament (circle method): in a round no GPU is in two pairs, and every unordered pair is in
// exactly one round. With an odd number of GPUs one rests in each round.
inline std::vector<std::vector<Pair>> disjoint_matchings(int gpus) {
  std::vector<std::vector<Pair>> rounds;
  if (gpus < 2) return rounds;
  const int seats = gpus + gpus % 2;
  for (int round = 0; round < seats - 1; ++round) {
    std::vector<Pair> pairs;
    const auto add = [&](int a, int b) {
      if (a < gpus && b < gpus) pairs.push_back({std::min(a, b), std::max(a, b)});
    };
    add(seats - 1, round);
    for (int k = 1; k < seats / 2; ++k) {
      add((round + k) % (seats - 1), (round - k + seats - 1) % (seats - 1));
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.from < b.from; });
    rounds.push_back(std::move(pairs));
  }
  return rounds;
}

}  // namespace assay::p2p
