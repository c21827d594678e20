// Simulates a box of water by GROMACS on all GPUs of this container: makes the input by gmx itself, places mdrun's ranks, watches the GPUs'
// power meanwhile, and prints what mdrun's log says as a document.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "common/args.hpp"
#include "common/cuda/watch.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "gromacs-gpu/log.hpp"
#include "gromacs-gpu/placement.hpp"
#include "gromacs/tools.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;

struct Options {
  gromacs::Options box;
  std::string input;  // a run input that is kept; empty: made anew
  std::int64_t gpus = 0;
  std::int64_t ranks_per_gpu = 0;
};

fs::path input_of(const Options& options, const fs::path& folder) {
  const fs::path made = folder / gromacs::kRunInput;
  if (options.input.empty()) {
    gromacs::make_input(options.box, folder);
    return made;
  }
  const fs::path kept = fs::absolute(options.input);
  if (fs::exists(kept)) return kept;
  gromacs::make_input(options.box, folder);
  fs::copy_file(made, kept);
  return kept;
}

void describe(const gromacs::Figures& figures, const gromacs::Placement& placement, Document& doc) {
  if (!figures.version.empty()) doc.parameter("gromacs", figures.version);
  if (figures.atoms) doc.parameter("atoms", static_cast<std::int64_t>(*figures.atoms));
  doc.parameter("ranks", placement.ranks);
  doc.parameter("pmeRanks", placement.pme_ranks);
  doc.parameter("threadsPerRank", placement.threads);
}

// Per watt of all GPUs, over the part of the run that counts: it is the last one.
void report_power(const cuda::Watch& watch, double rate, double seconds, Document& doc) {
  const auto watts = watch.watts(seconds);
  double sum = 0;
  for (const auto& each : watts) {
    if (!each) return;
    sum += *each;
  }
  doc.parameter("simulationRatePowerW", cuda::join_readings(watts));
  doc.parameter("simulationRateClockMHz", cuda::join_readings(watch.clocks_mhz(seconds)));
  if (sum > 0) doc.measurement("simulationRatePerWatt", "ns/day/W", Better::Higher).add("node", {rate / sum, 1, 0});
}

void report(const gromacs::Figures& figures, const cuda::Watch& watch, Document& doc) {
  const auto add = [&](const char* name, const char* unit, Better better, const std::optional<double>& value) {
    if (value) doc.measurement(name, unit, better).add("node", {*value, 1, 0});
  };
  add("simulationRate", "ns/day", Better::Higher, figures.rate);
  if (figures.rate && figures.seconds) report_power(watch, *figures.rate, *figures.seconds, doc);
  add("temperature", "K", Better::Lower, figures.temperature);
  add("energyDrift", "kJ/mol/ps", Better::Lower, figures.drift);
  add("loadImbalance", "%", Better::Lower, figures.imbalance);
  add("pmeShare", "%", Better::Lower, figures.pme_share);
  add("pmeForceRatio", "1", Better::Lower, figures.pme_force_ratio);
  const std::int64_t warnings = figures.constraint_warnings;
  doc.check("constraints", warnings == 0,
            warnings == 0 ? "" : "mdrun warned " + std::to_string(warnings) + " times that constraints did not hold: forces or positions are wrong");
}

void measure(const Options& options, Document& doc) {
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  doc.parameter("edge", options.box.edge);
  doc.parameter("seconds", options.box.seconds);
  cuda::Watch watch(gpus);

  const TemporaryFolder folder("gromacs");
  const fs::path input = input_of(options, folder.path());
  auto placement = gromacs::place(static_cast<std::int64_t>(gpus.size()), usable_processors(), options.ranks_per_gpu);
  if (options.box.threads > 0) placement.threads = options.box.threads;
  Command command{{"gmx"}, folder.path(), gromacs::environment(placement), launcher_variables()};
  const auto arguments = gromacs::simulate(input.string(), options.box.seconds, gromacs::arguments(placement));
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
  const int code = run_to_end(command, [&] { watch.look(); });
  if (code == kNotInstalled) throw CannotRun("gmx is not installed");

  std::ifstream log(folder.path() / gromacs::kLog);
  const gromacs::Figures figures = gromacs::read_log(log);
  if (!figures.gpu_support.empty() && figures.gpu_support != "CUDA") throw CannotRun("this GROMACS was built without CUDA");
  describe(figures, placement, doc);
  report(figures, watch, doc);
  watch.report(doc);
  throw_if_stopped();
  if (code != 0 || !figures.ended || !figures.rate) {
    throw std::runtime_error("mdrun ended with exit code " + std::to_string(code) + (figures.ended ? "" : " before its log was complete") +
                             ": what it said is on stderr");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.box.list_steps = 100;  // a search is the one thing left to the processors
  Args args("gromacs-gpu", "Molecular dynamics of a box of water by GROMACS, on all GPUs of this container");
  args.integer("--edge", options.box.edge, 2, 64, "copies of a box of 216 molecules along each edge: 648 x edge^3 atoms");
  args.number("--seconds", options.box.seconds, 1, 86400, "how long to simulate; the first half is not counted");
  args.integer("--gpus", options.gpus, 0, 64, "use the first so many GPUs (0: all)");
  args.integer("--ranks-per-gpu", options.ranks_per_gpu, 0, 16, "above 1, the GPU with PME computes forces too; 0: 1 on a single GPU, 2 on several");
  args.integer("--threads", options.box.threads, 0, 4096, "threads of each rank; 0: all processors, divided among the ranks");
  args.text("--input", options.input, "run input to keep in this file, and to use if it is there; --edge is that of who made it");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("gromacs-gpu", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
