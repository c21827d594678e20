// The processes that take part: one alone, or those that mpirun started. Which of the two is decided at build time, by
// linking world_single.cpp or world_mpi.cpp.
#pragma once

#include <cstddef>

namespace assay::collectives {

class World {
 public:
  World(int* argc, char*** argv);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  bool uses_mpi() const;
  int rank() const;        // of this process
  int size() const;        // processes
  int local_rank() const;  // of this process on its machine

  void barrier() const;
  double max(double value) const;  // over all processes, the same everywhere
  double sum(double value) const;
  void broadcast_from_first(void* data, std::size_t bytes) const;

  // Ends all other processes too, which may be waiting for this one for ever. Returns when this is the only one.
  void abandon(int exit_code) const;
};

}  // namespace assay::collectives
