// Simulates a box of water by GROMACS for a while: makes the input by gmx itself, runs mdrun on all cores of this container, and prints
// mdrun's own log unchanged on stdout. What is read from the log is the business of the log's reader. Started by an mpirun, as one
// rank of several, it runs gmx_mpi instead.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "common/args.hpp"
#include "common/exit_codes.hpp"
#include "common/host/cores.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
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

int run(const gromacs::Options& options) {
  const WatchForStop watch;
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
  std::ifstream log(folder.path() / gromacs::kLog);
  if (log && log.peek() != std::ifstream::traits_type::eof()) std::cout << log.rdbuf() << std::flush;
  if (code != 0) std::cerr << "gromacs: mdrun ended with exit code " << code << std::endl;
  throw_if_stopped();
  return code == 0 && log && std::cout ? exit_code::kMeasured : exit_code::kFailed;
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
  try {
    return run(options);
  } catch (const CannotRun& reason) {
    std::cerr << "gromacs: cannot run here: " << reason.what() << std::endl;
    if (launched_rank().value_or(0) != 0) return exit_code::kCannotRun;  // the first rank speaks for all
    Document doc("gromacs");
    doc.skip(reason.what());
    return doc.finish(std::cout);
  } catch (const std::exception& error) {
    std::cerr << "gromacs: " << error.what() << std::endl;
    return exit_code::kFailed;
  }
}
