#include "npb/team.hpp"

#include <algorithm>

#include "common/stop.hpp"

namespace assay::npb {
namespace {

template <typename T>
void sum_all(std::vector<T>& values, MPI_Datatype type, MPI_Comm communicator) {
  values.push_back(stop_requested() ? T{1} : T{0});
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), type, MPI_SUM, communicator);
  const bool stopped = values.back() > 0;
  values.pop_back();
  if (stopped) throw Stopped("stopped: a rank was told to end");
}

}  // namespace

int largest_power_of_two(int ranks) {
  int power = 1;
  while (power <= ranks / 2) power *= 2;
  return power;
}

Team::Team(std::int64_t most_ranks) {
  int world_rank = 0;
  int world_size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  size_ = largest_power_of_two(static_cast<int>(std::min<std::int64_t>(world_size, most_ranks)));
  // Member k is rank floor(k world / team): each host gets its share.
  const auto members_below = [&](std::int64_t rank) { return (rank * size_ + world_size - 1) / world_size; };
  const bool is_member = members_below(world_rank + 1) > members_below(world_rank);
  MPI_Comm_split(MPI_COMM_WORLD, is_member ? 0 : MPI_UNDEFINED, world_rank, &communicator_);
  if (is_member) MPI_Comm_rank(communicator_, &rank_);
}

Team::~Team() {
  if (is_member()) MPI_Comm_free(&communicator_);
}

double Team::sum(double value) const {
  double pair[] = {value, stop_requested() ? 1.0 : 0.0};
  MPI_Allreduce(MPI_IN_PLACE, pair, 2, MPI_DOUBLE, MPI_SUM, communicator_);
  if (pair[1] > 0) throw Stopped("stopped: a rank was told to end");
  return pair[0];
}

void Team::sum(std::vector<double>& values) const { sum_all(values, MPI_DOUBLE, communicator_); }

void Team::sum(std::vector<std::int64_t>& values) const { sum_all(values, MPI_INT64_T, communicator_); }

void Team::throw_if_stopped() const { sum(0.0); }

}  // namespace assay::npb
