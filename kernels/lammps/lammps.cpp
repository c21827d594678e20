// Runs LAMMPS' own benchmark: Lennard-Jones atoms, copper, bead-spring chains and a protein in a membrane. Each case is first simulated as
// LAMMPS' shipped logs have it, and must end as they do; then it is measured at a larger size. On all cores or GPUs of this container, or as
// the ranks that an mpirun started.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "common/args.hpp"
#include "common/exit_codes.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/cores.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "lammps/cases.hpp"
#include "lammps/gpus.hpp"
#include "lammps/log.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;

std::vector<std::string> simulation(const fs::path& folder, std::int64_t gpus) {
  std::vector<std::string> words = {"lmp", "-in", (folder / "in").string(), "-log", (folder / "log").string()};
  if (gpus > 0) words.insert(words.end(), {"-sf", "gpu", "-pk", "gpu", std::to_string(gpus)});
  return words;
}

// Each rank on a core of its own, unless there are more of them than cores.
std::vector<std::string> launcher(std::int64_t ranks, const fs::path& folder) {
  std::vector<std::string> words = mpirun_here(ranks, folder);
  if (ranks > usable_cores()) words.insert(words.end(), {"--bind-to", "none", "--oversubscribe"});
  return words;
}

void check_memory(const lammps::Options& options, std::int64_t ranks) {
  const std::int64_t needed = lammps::memory_bytes(options, ranks);
  if (const std::int64_t usable = usable_memory_bytes(); needed > usable) {
    throw CannotRun("scale " + std::to_string(options.scale) + " needs " + std::to_string(needed >> 20) + " MiB, and " +
                    std::to_string(usable >> 20) + " MiB are usable: choose a smaller --scale");
  }
}

// LAMMPS from its start to its end; its exit code. The input's files are read in their own folder.
int simulate(const lammps::Options& options, const fs::path& folder, lammps::GpuWatch* watch = nullptr) {
  const std::int64_t gpus = options.on == "cores" ? 0 : lammps::count_gpus(options.gpus);
  Command command{simulation(folder, gpus), options.inputs, {{"OMP_NUM_THREADS", "1"}}};
  if (!launched_rank()) {
    const std::int64_t ranks = lammps::ranks_for(options, usable_cores(), gpus);
    check_memory(options, ranks);
    const auto words = launcher(ranks, folder);
    command.words.insert(command.words.begin(), words.begin(), words.end());
    command.environment["TMPDIR"] = folder.string();
  }
  const int code = run_to_end(command, [&] {
    if (watch != nullptr) watch->look();
  });
  if (watch != nullptr) watch->look();
  if (code == kNotInstalled) throw CannotRun(command.words[0] + " is not installed");
  return code;
}

std::string text(const char* format, const std::string& name, double a, double b) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, name.c_str(), a, b);
  return buffer;
}

void judge(const lammps::Case& c, const lammps::Simulated& seen, std::int64_t ranks, bool mixed, Document& doc) {
  const lammps::Bound bound = lammps::bound_of(c, ranks, mixed);
  if (seen.reference) {
    const double off = lammps::deviation(*seen.reference, bound.reference);
    doc.measurement("energyDeviation", "ratio", Better::Lower).add(c.name, {off, 1});
    doc.check("energies", off <= bound.deviation,
              off <= bound.deviation ? "" : text("%s is off LAMMPS' own log by %.2g of a value, more than %.2g", c.name, off, bound.deviation));
  }
  if (seen.measured) {
    const double off = lammps::deviation(*seen.measured, bound.reference);
    doc.check("physics", off <= lammps::kSameMaterial,
              off <= lammps::kSameMaterial ? "" : text("%s is off by %.2g in the measured box, more than %.2g", c.name, off, lammps::kSameMaterial));
  }
}

// Per watt of all GPUs.
void report_power(const lammps::Simulated& seen, double rate, const std::vector<std::optional<double>>& watts, Document& doc) {
  if (watts.empty()) return;
  double sum = 0;
  std::string text;
  for (const auto& each : watts) {
    if (!each) return;
    sum += *each;
    text += (text.empty() ? "" : ",") + std::to_string(std::lround(*each));
  }
  doc.parameter(seen.name + "PowerW", text);
  if (sum > 0) doc.measurement("atomStepRatePerWatt", "Matom-step/s/W", Better::Higher).add(seen.name, {rate / sum, 1});
}

void report(const lammps::Case& c, const lammps::Simulated& seen, const lammps::GpuWatch* watch, Document& doc) {
  if (!seen.loop) return;
  const lammps::Loop& loop = *seen.loop;
  const double steps = static_cast<double>(loop.steps) / loop.seconds, rate = steps * static_cast<double>(loop.atoms) / 1e6;
  doc.measurement("atomStepRate", "Matom-step/s", Better::Higher).add(c.name, {rate, 1});
  if (launched_rank()) doc.measurement(c.cluster_rate, "Matom-step/s", Better::Higher).add("all", {rate, 1});
  doc.measurement("stepRate", "steps/s", Better::Higher).add(c.name, {steps, 1});
  if (watch != nullptr) report_power(seen, rate, watch->watts(c.name), doc);
  if (loop.pair_share) doc.measurement("pairShare", "%", Better::Higher).add(c.name, {*loop.pair_share, 1});
  if (loop.communication_share) doc.measurement("communicationShare", "%", Better::Lower).add(c.name, {*loop.communication_share, 1});
}

void evaluate(const lammps::Options& options, const lammps::Log& log, const lammps::GpuWatch* watch, Document& doc) {
  if (!log.version.empty()) doc.parameter("version", log.version);
  for (const auto& c : lammps::chosen(options)) {
    for (const auto& seen : log.cases) {
      if (seen.name != c.name) continue;
      judge(c, seen, log.ranks, options.on == "gpus", doc);
      report(c, seen, watch, doc);
    }
  }
}

void run(const lammps::Options& options, Document& doc) {
  if (!fs::exists(fs::path(options.inputs) / "in.lj")) {
    throw CannotRun("LAMMPS' benchmark is not in " + options.inputs + ": name its folder by --inputs");
  }
  const TemporaryFolder folder("lammps");
  const fs::path mark = folder.path() / "timed";
  doc.parameter("scale", options.scale);
  doc.parameter("on", options.on);
  std::unique_ptr<lammps::GpuWatch> watch;
  if (options.on == "gpus" && !launched_rank()) watch = lammps::watch_gpus(options, mark, doc);
  std::ofstream(folder.path() / "in") << lammps::driver(options, watch ? mark.string() : "");
  const int code = simulate(options, folder.path(), watch.get());
  std::ifstream in(folder.path() / "log");
  const lammps::Log log = lammps::read_log(in);
  if (log.ranks > 0) doc.parameter("ranks", log.ranks);
  evaluate(options, log, watch.get(), doc);
  if (watch) watch->report(doc);
  if (lammps::blew_up(log.error)) doc.check("physics", false, log.error);
  throw_if_stopped();
  if (code != 0) throw std::runtime_error("LAMMPS ended with exit code " + std::to_string(code) + (log.error.empty() ? "" : ": " + log.error));
}

// A rank that is not the first computes, and says nothing.
int follow(const lammps::Options& options) {
  try {
    const WatchForStop watch;
    return simulate(options, fs::temp_directory_path()) == 0 ? exit_code::kMeasured : exit_code::kFailed;
  } catch (const CannotRun&) {
    return exit_code::kCannotRun;  // the first rank says it
  } catch (const std::exception& error) {
    std::cerr << "lammps: " << error.what() << std::endl;
    return exit_code::kFailed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  lammps::Options options;
  Args args("lammps", "LAMMPS' own benchmark: lj, eam, chain and rhodopsin, verified by the logs that LAMMPS ships. On all cores or GPUs of this "
                      "container, or as the ranks that an mpirun started.");
  auto names = lammps::case_names();
  names.insert(names.begin(), "all");
  args.choice("--case", options.only, names, "what to simulate");
  args.integer("--scale", options.scale, 1, 64, "the measured box has 32,000 x scale^3 atoms; that of rhodopsin an eighth of them");
  args.integer("--seconds", options.seconds, 1, 86400, "how long to measure each case");
  args.choice("--on", options.on, {"cores", "gpus"}, "what computes the forces");
  args.integer("--gpus", options.gpus, 0, 64, "GPUs to use of each node; 0: all");
  args.integer("--ranks", options.ranks, 0, 4096, "number of MPI processes; 0: one per core, at most 16 per GPU; of no effect under an mpirun");
  args.text("--inputs", options.inputs, "folder of LAMMPS' benchmark");
  if (const auto code = args.parse(argc, argv)) return *code;
  if (launched_rank().value_or(0) != 0) return follow(options);
  return run_program("lammps", std::cout, std::cerr, [&](Document& doc) { run(options, doc); });
}
