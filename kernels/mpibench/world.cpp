#include "mpibench/world.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

#include "common/mpi/agree.hpp"

namespace assay::mpibench {
namespace {

constexpr std::size_t kNameBytes = 256;  // Kubernetes allows a node 253

std::string own_name(const std::string& told) {
  if (!told.empty()) return told;
  const char* given = std::getenv("ASSAY_NODE_NAME");
  if (given != nullptr && *given != '\0') return given;
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return short_name(std::string(name.data(), static_cast<std::size_t>(length)));
}

}  // namespace

World::World(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  rank_on_host_ = mpi::rank_on_host();
}

World::~World() { MPI_Finalize(); }

std::vector<std::string> World::host_names(const std::string& told) const {
  using Name = std::array<char, kNameBytes>;
  const std::string name = own_name(told);
  Name own{};
  std::strncpy(own.data(), name.c_str(), kNameBytes - 1);
  std::vector<Name> all(static_cast<std::size_t>(size_));
  MPI_Allgather(own.data(), kNameBytes, MPI_CHAR, all.data(), kNameBytes, MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> names;
  for (const Name& entry : all) names.emplace_back(entry.data());
  return names;
}

void World::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }

long World::sum(long value) const {
  long result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return result;
}

int World::from_first(int value) const {
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return value;
}

std::vector<double> World::gather(double value) const {
  std::vector<double> all(is_first() ? static_cast<std::size_t>(size_) : 0);
  MPI_Gather(&value, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return all;
}

Load World::scatter(const std::vector<Load>& loads) const {
  static_assert(sizeof(Load) == 2 * sizeof(int));
  Load own;
  MPI_Scatter(loads.data(), 2, MPI_INT, &own, 2, MPI_INT, 0, MPI_COMM_WORLD);
  return own;
}

int World::ranks_with(const std::string& name) const { return mpi::ranks_with(name); }

void World::together(const std::function<void()>& step) const {
  failed_together_ = true;
  mpi::together(step);
  failed_together_ = false;
}

void World::abandon(int exit_code) const {
  if (size_ > 1 && !failed_together_) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string version(text.data());
  return version.substr(0, version.find_first_of(",\n"));
}

}  // namespace assay::mpibench
