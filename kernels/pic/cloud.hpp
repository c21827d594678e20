// A rank's markers on a GPU, kept by cell, and its copy of the grid.
#pragma once

#include <memory>
#include <vector>

#include "pic/theory.hpp"
#include "proxy/gpu_ranks.hpp"
#include "proxy/part.hpp"

namespace assay::pic {

class Cloud : public proxy::Part {
 public:
  virtual std::vector<double> waves(int steps) = 0;     // makes as many; real part of the wave's density at each, by what it was at first
  virtual std::vector<double> charge() = 0;             // of the last step: of all ranks, on each node
  virtual std::vector<Force> forces() = 0;
  virtual Start coordinates() = 0;                      // in any order
  virtual void damage() = 0;  // for tests: one bit of a velocity
};

std::unique_ptr<Cloud> make_cloud(const proxy::Rank& rank, const Grid& grid, int per_cell);

}  // namespace assay::pic
