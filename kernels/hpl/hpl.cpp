// Runs High-Performance Linpack on all cores of this container: chooses the problem, starts xhpl under mpirun, and prints HPL's
// own report unchanged on stdout. What is read from the report is the business of the report's reader. Started by an mpirun
// itself, as one rank of several, it becomes xhpl.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "common/args.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/cores.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/host/topology.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "hpl/settings.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;

fs::path xhpl() {
  const fs::path beside_us = fs::read_symlink("/proc/self/exe").parent_path() / "xhpl";
  if (!fs::exists(beside_us)) throw CannotRun("xhpl is not installed beside hpl");
  return beside_us;
}

std::vector<std::string> mpirun_command(std::int64_t ranks, const fs::path& folder) {
  std::vector<std::string> words = mpirun_here(ranks, folder);
  words.push_back(xhpl().string());
  return words;
}

// One rank of several that somebody else's mpirun started, on one node or many: becomes xhpl, which agrees on a problem with
// the other ranks and prints the report from the first. The ranks of a node share its cores.
int become_rank(const hpl::Options& options) {
  const std::string threads = std::to_string(std::max<std::int64_t>(1, usable_cores() / launched_ranks_here()));
  setenv("OMP_NUM_THREADS", threads.c_str(), 0);  // unless the launcher knows better
  const std::string program = xhpl().string();
  const std::string fraction = std::to_string(options.memory_fraction);
  const std::string order = std::to_string(options.order);
  const std::string block = std::to_string(options.block);
  execl(program.c_str(), program.c_str(), fraction.c_str(), order.c_str(), block.c_str(), nullptr);
  throw std::runtime_error("starting " + program + ": " + std::strerror(errno));
}

int run(const hpl::Options& options, std::ostream& report) {
  if (launched_rank()) return become_rank(options);
  const std::int64_t ranks = options.ranks > 0 ? options.ranks : static_cast<std::int64_t>(Topology().node().cpus.size());
  const hpl::Problem problem = hpl::problem_for(options, usable_memory_bytes(), ranks);
  std::cerr << hpl::describe(problem) << std::endl;
  const TemporaryFolder folder("hpl");
  std::ofstream(folder.path() / "hpccinf.txt") << hpl::input_file(problem);
  const int code = run_to_end({mpirun_command(problem.grid.rows * problem.grid.columns, folder.path()), folder.path(),
                               {{"TMPDIR", folder.path()}, {"OMP_NUM_THREADS", "1"}}});  // one rank per core
  throw_if_stopped();  // HPL's report begins when a test ends
  if (code == kNotInstalled) throw CannotRun("mpirun is not installed");
  return pass_on(folder.path() / "hpccoutf.txt", "mpirun", code, report);
}

}  // namespace

int main(int argc, char** argv) {
  hpl::Options options;
  Args args("hpl", "High-Performance Linpack on all cores that this container may use, or as the ranks that an mpirun started; "
                   "prints HPL's own report.");
  args.number("--memory-fraction", options.memory_fraction, 0.0001, 0.92, "share of the usable memory that the matrix takes");
  args.integer("--n", options.order, 0, 10'000'000, "order of the matrix; 0: from --memory-fraction");
  args.integer("--nb", options.block, 1, 4096, "block size");
  args.integer("--ranks", options.ranks, 0, 4096, "number of MPI processes; 0: one per core; of no effect under an mpirun");
  if (const auto code = args.parse(argc, argv)) return *code;
  std::ostringstream unheard;  // the first rank speaks for all
  std::ostream& out = launched_rank().value_or(0) == 0 ? std::cout : unheard;
  return run_reporter("hpl", out, std::cerr, [&](std::ostream& report) { return run(options, report); });
}
