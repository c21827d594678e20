// Times steps of a Part on all ranks together. Host code only.
#pragma once

#include <vector>

#include "common/sampling.hpp"
#include "hpl-gpu/team.hpp"
#include "proxy/part.hpp"

namespace assay::proxy {

struct Timing {
  std::vector<StoppingRule> ranks;  // seconds per step, by rank
  StoppingRule slowest;             // of each sample
  int steps = 0;                    // of one sample
};

// Every rank gets the same result. What ends it is the same on all ranks: Stopped, once any of them was told to.
Timing time_steps(hplgpu::Team& team, Part& part, double seconds);

// The same with each rank for itself, all at once.
Timing time_alone(hplgpu::Team& team, Part& part, double seconds);

}  // namespace assay::proxy
