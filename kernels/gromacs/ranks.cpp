#include "gromacs/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay::gromacs {
namespace {

constexpr std::int64_t kFewestChecked = 13;     // ranks with forces, from which on their prime factors matter
constexpr std::int64_t kFewestWithPme = 19;     // ranks, from which on mdrun itself gives some PME alone
constexpr std::int64_t kMostOfOneTeam = 16;     // threads that mdrun makes one rank of, on the processors where it does so longest
constexpr double kPmeShare = 0.19;              // of the load, by grompp's estimate; the same for boxes of any size
constexpr double kGridLinesPerCopy = 1.862 / 0.12;  // edge of a copy over the grid's spacing, both in nm
constexpr double kLinesPerPmeRank = 4;          // at least: the order of PME's interpolation

std::int64_t largest_prime_factor(std::int64_t number) {
  std::int64_t largest = 1;
  for (std::int64_t factor = 2; number > 1; ++factor) {
    for (; number % factor == 0; number /= factor) largest = factor;
  }
  return largest;
}

bool has_small_factors(std::int64_t ranks) {
  return largest_prime_factor(ranks) <= 3 + std::llround(std::cbrt(static_cast<double>(ranks)));
}

// Whether the grid of PME can be cut along two axes, the first as the box is cut.
bool shares_factors(std::int64_t forces, std::int64_t pme) {
  return std::gcd(forces, pme) * 2 >= std::llround(std::sqrt(static_cast<double>(pme)));
}

std::int64_t fewest_for_pme(std::int64_t ranks) { return static_cast<std::int64_t>(kPmeShare * static_cast<double>(ranks)) + 1; }

}  // namespace

bool may_share_forces(std::int64_t ranks) {
  const std::int64_t prime = largest_prime_factor(ranks);
  return ranks < kFewestChecked || prime * prime * prime <= ranks * ranks;
}

bool places_itself(std::int64_t ranks) {
  if (!may_share_forces(ranks)) return false;
  if (ranks < kFewestWithPme) return true;
  for (std::int64_t pme = fewest_for_pme(ranks); pme <= ranks / 2; ++pme) {
    if (has_small_factors(ranks - pme) && shares_factors(ranks - pme, pme)) return true;
  }
  return false;
}

std::vector<std::string> threads_of_one_process(std::int64_t threads) {
  if (threads <= kMostOfOneTeam && !places_itself(threads)) return {"-ntmpi", "1", "-ntomp", std::to_string(threads)};
  while (!places_itself(threads)) --threads;
  return {"-nt", std::to_string(threads)};
}

std::int64_t pme_ranks(std::int64_t ranks, std::int64_t edge) {
  if (places_itself(ranks)) return 0;
  // Cut along one axis only, the grid has room for so many ranks.
  const auto room = static_cast<std::int64_t>(kGridLinesPerCopy * static_cast<double>(edge) / kLinesPerPmeRank);
  for (std::int64_t pme = fewest_for_pme(ranks); pme <= ranks / 2; ++pme) {
    if (has_small_factors(ranks - pme) && (pme <= room || shares_factors(ranks - pme, pme))) return pme;
  }
  // PME will be what the others wait for.
  for (std::int64_t pme = std::min(room, ranks / 2); pme > 0; --pme) {
    if (may_share_forces(ranks - pme)) return pme;
  }
  return 0;
}

}  // namespace assay::gromacs
