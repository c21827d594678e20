// Samples one exchange on all ranks together: how much a sample does, how many there are and when it is enough is decided by
// the first rank alone, from the times of all, and told to the others.
#pragma once

#include <functional>
#include <vector>

#include "common/sampling.hpp"
#include "mpibench/world.hpp"

namespace assay::mpibench {

struct Sampling {
  int window = 1;                // messages under way at once, at most
  double budget_seconds = 1;     // of sampling
  double relative_width = 0.01;  // of the 95 % interval of the median: precise enough
};

// What was sampled for one pair of a round.
struct Sampled {
  Summary seconds;  // of one message of the window, or of one operation
  int window = 1;   // that was used
  bool is_steady = true;
};

// Does that much and returns the seconds by this rank's clock.
using Exchange = std::function<double(const Role&, const Load&)>;

// Every rank calls this with the same roles; the first gets an entry per pair, the others none. A pair's time is that of the
// slowest rank that leads.
std::vector<Sampled> sample(const World& world, const std::vector<Role>& roles, const Sampling& sampling, const Exchange& exchange);

}  // namespace assay::mpibench
