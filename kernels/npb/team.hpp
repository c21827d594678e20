// The ranks that compute: the largest power of two that the problem can use, spread evenly over all that mpirun started. The others wait.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace assay::npb {

// The largest power of two that is not above `ranks`.
int largest_power_of_two(int ranks);

class Team {
 public:
  explicit Team(std::int64_t most_ranks);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  MPI_Comm communicator() const { return communicator_; }
  bool is_member() const { return communicator_ != MPI_COMM_NULL; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  // Sums over the team, the same on all ranks. The message also carries who was told to end: where one was, all throw Stopped.
  double sum(double value) const;
  void sum(std::vector<double>& values) const;
  void sum(std::vector<std::int64_t>& values) const;
  void throw_if_stopped() const;

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace assay::npb
