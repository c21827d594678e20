#include "common/host/launch.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/host/cgroup.hpp"

namespace assay {
namespace {

std::optional<std::int64_t> told(const char* by_open_mpi, const char* by_mpich) {
  for (const char* name : {by_open_mpi, by_mpich}) {
    if (const char* text = std::getenv(name)) return std::atoll(text);
  }
  return std::nullopt;
}

}  // namespace

std::int64_t usable_processors() {
  cpu_set_t allowed;
  // A machine with more processors than the set has room for.
  const std::int64_t count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
  return std::max<std::int64_t>(1, std::min(count, static_cast<std::int64_t>(cpu_quota().value_or(static_cast<double>(count)))));
}

std::optional<std::int64_t> launched_rank() { return told("OMPI_COMM_WORLD_RANK", "PMI_RANK"); }

std::int64_t launched_ranks() { return std::max<std::int64_t>(1, told("OMPI_COMM_WORLD_SIZE", "PMI_SIZE").value_or(1)); }

std::int64_t launched_ranks_here() {
  return std::max<std::int64_t>(1, told("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS").value_or(1));
}

std::vector<std::string> mpirun_here(std::int64_t ranks, const std::filesystem::path& folder) {
  return {"mpirun", "--allow-run-as-root", "-np", std::to_string(ranks), "--bind-to", "core",
          // One node: no launcher over the network, shared memory only. Containers are often denied cross-process reads, and
          // their /dev/shm is often too small for one segment per rank.
          "--mca", "plm", "isolated", "--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none",
          "--mca", "btl_vader_backing_directory", folder.string()};
}

std::vector<std::string> launcher_variables() { return {"OMPI_*", "PMIX_*", "PMI_*", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"}; }

}  // namespace assay
