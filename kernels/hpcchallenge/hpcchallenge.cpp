// Runs the HPC Challenge on all cores of this container: chooses the problem, starts hpcc under mpirun, and prints its own report unchanged on
// stdout. What is read from the report is the business of the report's reader.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "common/args.hpp"
#include "common/host/cores.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "hpcchallenge/input.hpp"

namespace {

using namespace assay;

int run(const hpl::Options& options, std::ostream& report) {
  const hpl::Problem problem = hpl::problem_for(options, usable_memory_bytes(), options.ranks > 0 ? options.ranks : usable_cores());
  std::cerr << hpl::describe(problem) << std::endl;
  const TemporaryFolder folder("hpcc");
  std::ofstream(folder.path() / "hpccinf.txt") << hpcchallenge::input_file(problem);
  std::vector<std::string> words = mpirun_here(problem.grid.rows * problem.grid.columns, folder.path());
  words.push_back("hpcc");
  const int code = run_to_end({words, folder.path(), {{"TMPDIR", folder.path()}, {"OMP_NUM_THREADS", "1"}}});  // one rank per core
  throw_if_stopped();  // hpcc's summary is at the end of its report
  if (code == kNotInstalled) throw CannotRun("mpirun is not installed");
  return pass_on(folder.path() / "hpccoutf.txt", "mpirun", code, report);
}

}  // namespace

int main(int argc, char** argv) {
  hpl::Options options;
  options.memory_fraction = 0.2;
  options.block = 128;
  Args args("hpcchallenge", "The HPC Challenge on all cores that this container may use; prints hpcc's own report.");
  args.number("--memory-fraction", options.memory_fraction, 0.0001, 0.4, "share of the usable memory that the matrix takes; some parts of hpcc hold it twice");
  args.integer("--n", options.order, 0, 10'000'000, "order of the matrix; 0: from --memory-fraction");
  args.integer("--nb", options.block, 1, 4096, "block size");
  args.integer("--ranks", options.ranks, 0, 4096, "number of MPI processes; 0: one per core");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_reporter("hpcc", std::cout, std::cerr, [&](std::ostream& report) { return run(options, report); });
}
