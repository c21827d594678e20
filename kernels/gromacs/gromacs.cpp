// Simulates a box of water by GROMACS for a while: makes the input by gmx itself, runs mdrun on all cores of this container, and prints
// mdrun's own log unchanged on stdout. What is read from the log is the business of the log's reader. Started by an mpirun, as one
// rank of several, it runs gmx_mpi instead.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "common/args.hpp"
#include "common/exit_codes.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "gromacs/input.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;

constexpr int kNotInstalled = 127;

// Debian's place, or that of a GROMACS of one's own beside its programs' folder.
fs::path water() {
  std::vector<fs::path> places = {"/usr/share/gromacs/top", "/usr/local/gromacs/share/gromacs/top", "/usr/local/share/gromacs/top"};
  if (const char* own = std::getenv("GMXDATA")) places.insert(places.begin(), fs::path(own) / "top");
  for (const auto& place : places) {
    if (fs::exists(place / "spc216.gro")) return place / "spc216.gro";
  }
  throw CannotRun("spc216.gro is not there: install GROMACS, or set GMXDATA to its folder share/gromacs");
}

// Runs gmx, which is no rank of anything: started as one, it would wait for the others.
void gmx(const std::vector<std::string>& arguments, const fs::path& folder) {
  Command command{{"gmx"}, folder, {}, launcher_variables()};
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
  const int code = run_to_end(command);
  throw_if_stopped();
  if (code == kNotInstalled) throw CannotRun("gmx is not installed");
  if (code != 0) throw std::runtime_error("gmx " + arguments[1] + " ended with exit code " + std::to_string(code));
}

void make_input(const gromacs::Options& options, const fs::path& folder) {
  const std::int64_t atoms = gromacs::atoms(options.edge);
  std::cerr << "gromacs: a box of " << atoms << " atoms" << std::endl;
  const std::int64_t needed = gromacs::memory_bytes(atoms);
  if (const std::int64_t usable = usable_memory_bytes(); needed > usable) {
    throw CannotRun("a box of " + std::to_string(atoms) + " atoms needs " + std::to_string(needed >> 20) + " MiB, and " +
                    std::to_string(usable >> 20) + " MiB are usable: choose a smaller --edge");
  }
  std::ofstream(folder / "topol.top") << gromacs::topology(options.edge);
  std::ofstream(folder / "run.mdp") << gromacs::parameters();
  gmx(gromacs::make_box(options.edge, water().string()), folder);
  gmx(gromacs::make_run_input(), folder);
}

// Threads of one process here; as ranks, each its share of the node's cores.
Command simulation(const gromacs::Options& options, const fs::path& folder) {
  const bool alone = !launched_rank();
  std::string threads = std::to_string(options.threads > 0 ? options.threads : usable_cores());
  if (!alone && options.threads == 0) threads = std::to_string(std::max<std::int64_t>(1, usable_cores() / launched_ranks_here()));
  const auto arguments = gromacs::simulate(options.seconds, {alone ? "-nt" : "-ntomp", threads});
  Command command{{alone ? "gmx" : "gmx_mpi"}, folder, {{"OMP_NUM_THREADS", threads}}};
  if (alone) command.environment.clear();  // mdrun divides the threads among its own ranks
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
  return command;
}

int run(const gromacs::Options& options) {
  const WatchForStop watch;
  const TemporaryFolder folder("gromacs");
  const bool first = launched_rank().value_or(0) == 0;
  if (first) {
    make_input(options, folder.path());
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
