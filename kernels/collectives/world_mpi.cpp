#include <mpi.h>

#include "collectives/world.hpp"

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

int World::rank() const {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int World::size() const {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

int World::local_rank() const {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int rank = 0;
  MPI_Comm_rank(machine, &rank);
  MPI_Comm_free(&machine);
  return rank;
}

void World::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }
double World::max(double value) const { return reduced(value, MPI_MAX); }
double World::sum(double value) const { return reduced(value, MPI_SUM); }

void World::broadcast_from_first(void* data, std::size_t bytes) const {
  MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void World::abandon(int exit_code) const {
  if (size() > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace assay::collectives
