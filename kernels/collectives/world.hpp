// The processes that take part: one alone, or those that mpirun started. Which of the two is decided at build time, by
// linking world_single.cpp or world_mpi.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

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

  int ranks_with(const std::string& name) const;                // how many processes have it
  std::string first_complaint(const std::string& own) const;    // of any process, the same everywhere; empty: none complains

  // A step that may fail in some processes: all throw where it does in any, with the reason. It must not wait for others.
  void together(const std::function<void()>& step) const;

  // Ends all other processes too, which may be waiting for this one for ever; not where all failed together. Returns when
  // this is the only one.
  void abandon(int exit_code) const;

 private:
  mutable bool failed_together_ = false;
};

}  // namespace assay::collectives
