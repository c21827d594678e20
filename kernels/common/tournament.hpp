// Who meets whom in a round-robin tournament, by the circle method: the last seat stays, the others move on by one; an odd
// number of players gets an empty seat. In a round no player is in two pairs, and over all rounds every pair meets once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay {

struct Pair {
  std::size_t first;
  std::size_t second;  // the larger one
};

inline std::size_t tournament_rounds(std::size_t players) { return players < 2 ? 0 : players + players % 2 - 1; }

inline std::vector<Pair> tournament_round(std::size_t players, std::size_t round) {
  const std::size_t last = players + players % 2 - 1;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i <= last / 2; ++i) {
    const std::size_t one = i == 0 ? last : (round + i) % last;
    const std::size_t other = (round + last - i) % last;
    if (std::max(one, other) < players) pairs.push_back({std::min(one, other), std::max(one, other)});
  }
  return pairs;
}

}  // namespace assay
