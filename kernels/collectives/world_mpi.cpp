#include <mpi.h>

#include "collectives/world.hpp"
#include "common/mpi/agree.hpp"

// MPI's default error handler ends all processes, which is what a lost rank calls for.
namespace assay::collectives {
namespace {

double reduced(double value, MPI_Op operation) {
  double result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
  return result;
}

}  // namespace

World::World(int* argc, char*** argv) { MPI_Init(argc, argv); }
World::~World() { MPI_Finalize(); }

bool World::uses_mpi() const { return true; }

int World::rank() const { return mpi::rank_in(MPI_COMM_WORLD); }

int World::size() const {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

int World::local_rank() const { return mpi::rank_on_host(); }

void World::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }
double World::max(double value) const { return reduced(value, MPI_MAX); }
double World::sum(double value) const { return reduced(value, MPI_SUM); }

void World::broadcast_from_first(void* data, std::size_t bytes) const {
  MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
}

int World::ranks_with(const std::string& name) const { return mpi::ranks_with(name); }
std::string World::first_complaint(const std::string& own) const { return mpi::first_complaint(own); }

void World::together(const std::function<void()>& step) const {
  failed_together_ = true;
  mpi::together(step);
  failed_together_ = false;
}

void World::abandon(int exit_code) const {
  if (size() > 1 && !failed_together_) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace assay::collectives
