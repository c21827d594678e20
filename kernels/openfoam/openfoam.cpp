// Solves a case by OpenFOAM, on all cores of this container or as the ranks that an mpirun started: makes the case, divides it, runs the
// solver, and reports seconds per iteration from the solver's own log, with what the log says of residuals and continuity.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <thread>

#include "common/args.hpp"
#include "common/exit_codes.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/cores.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "openfoam/case.hpp"
#include "openfoam/log.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;
using openfoam::Case;

constexpr double kMostContinuity = 1e-2;  // seen: 1e-9 of the cavity, 7e-4 of the motorBike after 20 iterations, 1e49 where it diverged
const fs::path kMotorBike = "/usr/local/share/assay/motorBike";

// sshd passes no variables of the image on, so a rank of another node has none of OpenFOAM's.
std::map<std::string, std::string> variables() {
  std::map<std::string, std::string> all{{"OMP_NUM_THREADS", "1"}};
  if (std::getenv("WM_PROJECT_DIR") == nullptr) all["WM_PROJECT_DIR"] = "/usr/share/openfoam";
  return all;
}

// Runs one of OpenFOAM's programs that is no rank of anything.
void tool(const std::string& name, const fs::path& folder) {
  std::cerr << "openfoam: " << name << std::endl;
  Command command{{name}, folder, variables(), launcher_variables()};
  command.output = folder / ("log." + name);
  const int code = run_to_end(command);
  throw_if_stopped();
  if (code == 0) return;
  if (code == kNotInstalled) throw CannotRun(name + " is not installed");
  std::ifstream log(folder / ("log." + name));
  std::cerr << log.rdbuf() << std::flush;
  throw std::runtime_error(name + " ended with exit code " + std::to_string(code));
}

void make_case(const openfoam::Options& options, std::int64_t ranks, const fs::path& folder) {
  const Case which = openfoam::case_named(options.name);
  const std::int64_t cells = openfoam::cells_of(options);
  const std::int64_t needed = openfoam::memory_bytes(cells);
  if (const std::int64_t usable = usable_memory_bytes(); needed > usable) {
    throw CannotRun("a case of " + std::to_string(cells) + " cells needs " + std::to_string(needed >> 20) + " MiB, and " +
                    std::to_string(usable >> 20) + " MiB are usable: choose a smaller --cells");
  }
  std::cerr << "openfoam: " << options.name << ", " << cells << " cells, " << ranks << " ranks" << std::endl;
  if (which == Case::MotorBike) {
    if (!fs::exists(kMotorBike)) throw CannotRun("there is no motorBike in " + kMotorBike.string() + ": use the image bench-openfoam");
    fs::copy(kMotorBike, folder, fs::copy_options::recursive);
  }
  for (const auto& [path, text] : openfoam::files(options, ranks)) {
    fs::create_directories((folder / path).parent_path());
    if (!(std::ofstream(folder / path) << text)) throw std::runtime_error("writing " + path);
  }
  if (which == Case::Cavity) tool("blockMesh", folder);
  if (ranks > 1) tool("decomposePar", folder);
}

std::int64_t number_of(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoll(text);
}

// The same path on every node, as the solver's ranks have to see the case at one place.
class SharedPath {
 public:
  SharedPath() {
    const char* job = std::getenv("PMIX_NAMESPACE");
    path_ = fs::temp_directory_path() / ("assay-openfoam-" + std::to_string(std::hash<std::string>{}(job == nullptr ? "" : job)));
  }
  ~SharedPath() {
    std::error_code ignored;
    if (makes()) fs::remove_all(path_, ignored);
  }
  SharedPath(const SharedPath&) = delete;
  SharedPath& operator=(const SharedPath&) = delete;
  // One rank of each node makes the case; the others wait for it.
  bool makes() const { return number_of("OMPI_COMM_WORLD_LOCAL_RANK", 0) == 0; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void make_or_wait(const openfoam::Options& options, std::int64_t ranks, const SharedPath& shared) {
  if (shared.makes()) {
    fs::remove_all(shared.path());
    fs::create_directories(shared.path());
    make_case(options, ranks, shared.path());
    std::ofstream(shared.path() / "ready");
    return;
  }
  while (!fs::exists(shared.path() / "ready")) {  // a rank that cannot make it ends, and mpirun ends us
    throw_if_stopped();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

int solve(const openfoam::Options& options, std::vector<std::string> before, bool parallel, const fs::path& folder, const fs::path& log) {
  before.push_back(openfoam::solver_of(openfoam::case_named(options.name)));
  if (parallel) before.push_back("-parallel");
  std::size_t ticks = 0;
  Command command{before, folder, variables()};
  command.output = log;
  return run_to_end(command, [&] {
    if (++ticks % 20 != 0) return;  // every five seconds
    std::ifstream so_far(log);
    std::cerr << "openfoam: " << openfoam::read_log(so_far).times.size() << " of " << options.iterations << " iterations" << std::endl;
  });
}

// The motorBike's flow settles; that under the lid still changes, so each of its solves must end where it should, and the last begin there.
void add_residual_checks(const openfoam::Options& options, const openfoam::Log& log, Document& doc) {
  const bool settles = openfoam::case_named(options.name) == Case::MotorBike;
  std::string wrong = settles ? openfoam::unsettled(log) : openfoam::unsolved(log, openfoam::kTolerance);
  if (!log.finite) wrong = "a residual is not a finite number";
  doc.check("residuals", wrong.empty(), wrong);
  const auto expected = openfoam::expected_residuals(options);
  if (expected.empty()) return;
  const std::string other = openfoam::another_flow(log, expected, openfoam::kResidualDeviation);
  doc.check("flow", other.empty(), other);
}

void report(const openfoam::Options& options, std::int64_t ranks, int code, const fs::path& path, Document& doc) {
  std::ifstream text(path);
  const openfoam::Log log = openfoam::read_log(text);
  doc.parameter("case", options.name);
  doc.parameter("cells", openfoam::cells_of(options));
  doc.parameter("iterations", static_cast<std::int64_t>(log.times.size()));
  doc.parameter("ranks", ranks);
  const double seconds = openfoam::seconds_per_iteration(log);
  const std::size_t samples = log.times.size();
  if (seconds > 0) {
    doc.measurement("iterationTime", "s", Better::Lower).add("node", {seconds, samples, 0});
    doc.measurement("cellRate", "cells/s", Better::Higher).add("node", {static_cast<double>(openfoam::cells_of(options)) / seconds, samples, 0});
  }
  if (log.has_continuity) doc.measurement("continuityError", "1", Better::Lower).add("node", {log.continuity, 1, 0});
  throw_if_stopped();
  if (code != 0 || !log.ended) {
    std::ifstream again(path);
    std::cerr << again.rdbuf() << std::flush;
    throw std::runtime_error("the solver ended with exit code " + std::to_string(code) + " after " + std::to_string(samples) + " iterations");
  }
  add_residual_checks(options, log, doc);
  const bool continuous = log.has_continuity && log.continuity <= kMostContinuity;
  doc.check("continuity", continuous,
            continuous ? "" : "the sum of local continuity errors is " + std::to_string(log.continuity) + ", expected at most 0.01");
}

void run_alone(const openfoam::Options& options, Document& doc) {
  const TemporaryFolder folder("openfoam");
  const std::int64_t ranks = options.ranks > 0 ? options.ranks : usable_cores();
  const fs::path inside = folder.path() / "case";
  fs::create_directories(inside);
  make_case(options, ranks, inside);
  std::vector<std::string> before;
  if (ranks > 1) before = mpirun_here(ranks, folder.path());
  const fs::path log = folder.path() / "log";
  const int code = solve(options, before, ranks > 1, inside, log);
  if (code == kNotInstalled) throw CannotRun("OpenFOAM or mpirun is not installed");
  report(options, ranks, code, log, doc);
}

void run_as_rank(const openfoam::Options& options, Document& doc) {
  const SharedPath shared;
  const std::int64_t ranks = number_of("OMPI_COMM_WORLD_SIZE", 1), rank = launched_rank().value_or(0);
  make_or_wait(options, ranks, shared);
  const fs::path log = shared.path() / ("log." + std::to_string(rank));
  const int code = solve(options, {}, ranks > 1, shared.path(), log);
  if (code == kNotInstalled) throw CannotRun("OpenFOAM is not installed");
  if (rank == 0) return report(options, ranks, code, log, doc);
  if (code != 0) throw std::runtime_error("the solver ended with exit code " + std::to_string(code));
}

// The first rank speaks for all.
int run_other_rank(const openfoam::Options& options) {
  Document unused("openfoam");
  try {
    const WatchForStop watch;
    run_as_rank(options, unused);
    return exit_code::kMeasured;
  } catch (const CannotRun& reason) {
    std::cerr << "openfoam: cannot run here: " << reason.what() << std::endl;
    return exit_code::kCannotRun;
  } catch (const std::exception& error) {
    std::cerr << "openfoam: " << error.what() << std::endl;
    return exit_code::kFailed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  openfoam::Options options;
  Args args("openfoam", "Fluid dynamics by OpenFOAM, on all cores that this container may use, or as the ranks that an mpirun started.");
  args.choice("--case", options.name, {"cavity", "motorBike"}, "cavity: a lid that moves over a cube; motorBike: the tutorial, 353,525 cells");
  args.integer("--cells", options.cells, 8, 1024, "cells along each edge of the cavity");
  args.integer("--iterations", options.iterations, 4, 100000, "steps of the solver; the first quarter is not counted");
  args.integer("--ranks", options.ranks, 0, 4096, "ranks of a run on one node; 0: one per core");
  if (const auto code = args.parse(argc, argv)) return *code;
  const auto rank = launched_rank();
  if (rank.value_or(0) != 0) return run_other_rank(options);
  return run_program("openfoam", std::cout, std::cerr, [&](Document& doc) { rank ? run_as_rank(options, doc) : run_alone(options, doc); });
}
