// npb: CG, MG, IS and FT of the NAS Parallel Benchmarks, written from their specification. Started by mpirun.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <vector>

#include "common/args.hpp"
#include "common/exit_codes.hpp"
#include "common/mpi/agree.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "npb/cg.hpp"
#include "npb/classes.hpp"
#include "npb/ft.hpp"
#include "npb/is.hpp"
#include "npb/mg.hpp"

namespace {

using namespace assay;
using namespace assay::npb;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string kernel = "cg";
  std::string problem_class = "A";
  std::int64_t runs = 1;
  bool inject_bitflip = false;
};

// How the ranks may go on: where one failed alone, the others wait for it, and have to be ended.
struct Ending {
  bool is_together = true;
};

std::unique_ptr<Kernel> make_kernel(const Options& options, const Team& team) {
  if (options.kernel == "mg") return make_mg(team, options.problem_class);
  if (options.kernel == "is") return make_is(team, options.problem_class);
  if (options.kernel == "ft") return make_ft(team, options.problem_class);
  return make_cg(team, options.problem_class);
}

// On stderr, at most every five seconds.
class Reporter {
 public:
  explicit Reporter(bool speaks) : speaks_(speaks) {}

  void operator()(int iteration, int iterations) {
    const auto now = Clock::now();
    if (!speaks_ || now - last_ < std::chrono::seconds(5)) return;
    last_ = now;
    std::cerr << "npb: iteration " << iteration << " of " << iterations << std::endl;
  }

 private:
  bool speaks_;
  Clock::time_point last_ = Clock::now();
};

double seconds_of(Kernel& kernel, const Team& team, const Progress& progress) {
  MPI_Barrier(team.communicator());
  const auto start = Clock::now();
  kernel.run(progress);
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, team.communicator());
  return seconds;
}

void sample(const Options& options, const Team& team, Kernel& kernel, Document& doc) {
  std::vector<double> seconds;
  Reporter reporter(team.rank() == 0);
  if (team.rank() == 0) {
    std::cerr << "npb: " << options.kernel << " class " << options.problem_class << " on " << team.size() << " ranks, "
              << options.runs << " runs" << std::endl;
  }
  for (std::int64_t run = 0; run < options.runs; ++run) {
    kernel.reset(options.inject_bitflip);
    seconds.push_back(seconds_of(kernel, team, std::ref(reporter)));
    const auto verdict = kernel.verdict();
    doc.check("verification", verdict.ok, verdict.ok && run > 0 ? "" : verdict.message);
    if (!verdict.ok) break;
  }
  std::vector<double> rates = seconds;
  for (double& each : rates) each = kernel.operations() / each * 1e-6;
  doc.measurement("operationRate", "Mop/s", Better::Higher).add("all", summarize(rates));
  doc.measurement("runTime", "s", Better::Lower).add("all", summarize(seconds));
}

void measure(const Options& options, Document& doc, Ending& ending) {
  const std::int64_t most = most_ranks(options.kernel, options.problem_class);
  const Team team(most);
  int started = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &started);
  doc.parameter("kernel", options.kernel);
  doc.parameter("class", options.problem_class);
  doc.parameter("ranks", team.size());
  if (team.size() < started) {
    doc.note(std::to_string(started - team.size()) + " of " + std::to_string(started) +
             " ranks do nothing: the benchmark needs a power of two, and this class can use " + std::to_string(most) + " at most");
  }
  std::unique_ptr<Kernel> kernel;
  mpi::together([&] {
    if (team.is_member()) kernel = make_kernel(options, team);
  });
  if (!team.is_member()) return;
  ending.is_together = false;
  try {
    sample(options, team, *kernel, doc);
  } catch (const Stopped&) {
    ending.is_together = true;  // all of the team were told
    throw;
  }
  ending.is_together = true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("npb", "NAS Parallel Benchmarks CG, MG, IS and FT over MPI, verified by the published values.");
  args.choice("--kernel", options.kernel, {"cg", "mg", "is", "ft"}, "which benchmark");
  args.choice("--class", options.problem_class, class_names(), "problem size; S and W are for tests");
  args.integer("--runs", options.runs, 1, 1000, "timed runs; the result is their median");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: flip a bit of the input, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ostringstream discarded;  // the first rank speaks for all
  std::ostream& out = rank == 0 ? std::cout : discarded;
  Ending ending;
  int code = run_program("npb", out, std::cerr, [&](Document& doc) { measure(options, doc, ending); });
  if (!ending.is_together) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}
