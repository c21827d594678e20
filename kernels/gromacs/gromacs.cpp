// Simulates a box of water by GROMACS for a while: makes the input by gmx itself, runs mdrun on all cores of this container, and prints
// mdrun's own log unchanged on stdout. What is read from the log is the business of the log's reader. Started by an mpirun, as one
// rank of several, it runs gmx_mpi instead.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "common/args.hpp"
#include "common/exit_codes.hpp"
#include "common/host/cores.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "gromacs/input.hpp"
#include "gromacs/ranks.hpp"
#include "gromacs/tools.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;

// Threads of one process here, which mdrun divides among its own ranks; as ranks, each its share of the node's cores.
Command simulation(const gromacs::Options& options, const fs::path& folder) {
  const bool alone = !launched_rank();
  const std::int64_t sharing = alone ? 1 : launched_ranks_here();
  const std::int64_t threads = options.threads > 0 ? options.threads : std::max<std::int64_t>(1, usable_cores() / sharing);
  Command command{{alone ? "gmx" : "gmx_mpi"}, folder, {}};
  std::vector<std::string> placement;
  if (alone) {
    placement = gromacs::threads_of_one_process(threads);
  } else {
    command.environment = {{"OMP_NUM_THREADS", std::to_string(threads)}};
    placement = {"-ntomp", std::to_string(threads)};
    if (const auto pme = gromacs::pme_ranks(launched_ranks(), options.edge); pme > 0) placement.insert(placement.end(), {"-npme", std::to_string(pme)});
  }
  const auto arguments = gromacs::simulate(gromacs::kRunInput, options.seconds, placement);
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
  return command;
}

int run(const gromacs::Options& options, std::ostream& report) {
  const TemporaryFolder folder("gromacs");
  const bool first = launched_rank().value_or(0) == 0;
  if (first) {
    gromacs::make_input(options, folder.path());
  } else {
    std::ofstream(folder.path() / gromacs::kRunInput);  // mdrun looks whether it is there, and gets what is in it from the first rank
  }
  const int code = run_to_end(simulation(options, folder.path()));
  if (code == kNotInstalled) throw CannotRun("gmx_mpi is not installed");
  if (!first) return code == 0 ? exit_code::kMeasured : exit_code::kFailed;
  return pass_on(folder.path() / gromacs::kLog, "mdrun", code, report);
}

}  // namespace

int main(int argc, char** argv) {
  gromacs::Options options;
  Args args("gromacs", "Molecular dynamics of a box of water by GROMACS, on all cores that this container may use, or as the ranks that an "
                       "mpirun started; prints mdrun's own log.");
  args.integer("--edge", options.edge, 2, 64, "copies of a box of 216 molecules along each edge: 648 x edge^3 atoms");
  args.number("--seconds", options.seconds, 1, 86400, "how long to simulate; the first half is not counted");
  args.integer("--threads", options.threads, 0, 4096, "threads, of each rank where an mpirun started several; 0: one per core");
  if (const auto code = args.parse(argc, argv)) return *code;
  std::ostringstream unheard;  // the first rank speaks for all
  std::ostream& out = launched_rank().value_or(0) == 0 ? std::cout : unheard;
  const AfterStop after_stop = launched_rank() ? AfterStop::Report : AfterStop::Document;
  return run_reporter("gromacs", out, std::cerr, [&](std::ostream& report) { return run(options, report); }, after_stop);
}
