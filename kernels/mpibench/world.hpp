// The ranks that mpirun started. MPI's default error handler ends all of them, which is what a lost rank calls for.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "mpibench/plan.hpp"

namespace assay::mpibench {

class World {
 public:
  World(int* argc, char*** argv);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }

  // The name of every rank's host: what the rank was told (`told`), else the environment's ASSAY_NODE_NAME, else MPI's name up
  // to the first dot. The same on all ranks.
  std::vector<std::string> host_names(const std::string& told) const;

  void barrier() const;
  long sum(long value) const;                          // the same on all ranks
  int from_first(int value) const;                     // the first rank's value
  std::vector<double> gather(double value) const;      // of all ranks, on the first; empty elsewhere
  Load scatter(const std::vector<Load>& loads) const;  // own part of what the first rank holds

  int rank_on_host() const { return rank_on_host_; }
  int ranks_with(const std::string& name) const;  // how many ranks have it

  // A step that may fail on some ranks: all throw where it does on any, with the reason. It must not wait for other ranks.
  void together(const std::function<void()>& step) const;

  // Ends all other ranks too, which may be waiting for this one for ever; not where all failed together.
  void abandon(int exit_code) const;

 private:
  int rank_ = 0;
  int size_ = 1;
  int rank_on_host_ = 0;
  mutable bool failed_together_ = false;
};

std::string mpi_library();

}  // namespace assay::mpibench
