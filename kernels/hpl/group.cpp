#include "hpl/group.h"

#include <mpi.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "common/exit_codes.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/folder.hpp"
#include "common/program.hpp"
#include "hpl/settings.hpp"

namespace {

using namespace assay;

// HPL deals the matrix out evenly, so the rank with the least memory limits all. The ranks of a host share its memory.
std::int64_t memory_of_all(int ranks) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int ranks_here = 1;
  MPI_Comm_size(host, &ranks_here);
  MPI_Comm_free(&host);
  const std::int64_t own = usable_memory_bytes() / ranks_here;
  std::int64_t least = 0;
  MPI_Allreduce(&own, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  return least * ranks;
}

// HPL reads its input in the working directory of the first rank, and leaves its report there.
void write_input(const hpl::Problem& problem) {
  static const TemporaryFolder folder("hpl");  // until the process ends
  std::filesystem::current_path(folder.path());
  std::ofstream("hpccinf.txt") << hpl::input_file(problem);
}

}  // namespace

int assay_prepare_group(char** arguments) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  hpl::Options options;
  options.memory_fraction = std::strtod(arguments[0], nullptr);
  options.order = std::atoll(arguments[1]);
  options.block = std::atoll(arguments[2]);
  try {
    const hpl::Problem problem = hpl::problem_for(options, memory_of_all(ranks), ranks);
    if (rank == 0) std::cerr << hpl::describe(problem) << std::endl;
    if (rank == 0) write_input(problem);
    return 0;
  } catch (const CannotRun& reason) {  // on all ranks alike
    if (rank != 0) return exit_code::kCannotRun;
    std::cerr << "hpl: cannot run here: " << reason.what() << std::endl;
    Document doc("hpl");
    doc.skip(reason.what());
    return doc.finish(std::cout);
  } catch (const std::exception& error) {
    std::cerr << "hpl: " << error.what() << std::endl;
    return MPI_Abort(MPI_COMM_WORLD, exit_code::kFailed);
  }
}

int assay_print_report() {
  std::ifstream report("hpccoutf.txt");  // wherever it is told to print, HPL of this suite writes to this file
  if (report && report.peek() != std::ifstream::traits_type::eof()) std::cout << report.rdbuf() << std::flush;
  return report && std::cout ? 0 : exit_code::kFailed;
}
