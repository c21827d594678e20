// hpl-gpu: High-Performance Linpack on all GPUs of this process, or of all processes that mpirun started. README.md of the parent folder
// has the method.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/own_gpus.hpp"
#include "common/args.hpp"
#include "common/cuda/emulation.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "hpl-gpu/benchmark.hpp"
#include "hpl-gpu/blas.hpp"
#include "hpl-gpu/document.hpp"
#include "hpl-gpu/links.hpp"
#include "hpl-gpu/report.hpp"

namespace {

using namespace assay;
using hplgpu::Options;

std::vector<std::string> names_of(const collectives::World& world, const std::vector<cuda::Gpu>& gpus) {
  std::vector<std::string> names;
  for (const auto& gpu : gpus) names.push_back(gpu.name());
  if (world.size() == 1) return names;
  names.clear();
  for (int rank = 0; rank < world.size(); ++rank) names.push_back("rank" + std::to_string(rank));
  return names;
}

void describe(const Options& options, const hplgpu::Problem& problem, const collectives::World& world, Document& doc) {
  doc.parameter("N", problem.order);
  doc.parameter("NB", problem.block);
  doc.parameter("P", 1);
  doc.parameter("Q", problem.ranks);
  doc.parameter("processes", world.size());
  doc.parameter("strip", options.tuning.strip);
  doc.parameter("tail", options.tuning.tail);
  doc.parameter("cublas", hplgpu::cublas_version());
  doc.parameter("mathMode", "FP64 units, not emulated");
  if (problem.ranks < 2) return;
  doc.parameter("nccl", hplgpu::nccl_version());
  doc.parameter("channels", options.device.channels);
}

// The first process speaks for all, so what is wrong elsewhere has to be in its document too.
void hear_others(const collectives::World& world, Document& doc) {
  const auto hear = [&](const std::string& check, const std::string& complaint) {
    const std::string elsewhere = world.first_complaint(world.rank() == 0 ? "" : complaint);
    if (!elsewhere.empty()) doc.check(check, false, elsewhere);
  };
  hear("otherProcesses", doc.first_failure());
  for (const char* check : {"undisturbed", "comparable"}) hear(check, doc.complaint_of(check));
}

void measure(const Options& options, const collectives::World& world, std::string& netlib, Document& doc) {
  cuda::forbid_emulation();
  const auto gpus = collectives::own_gpus(options.gpus, world);
  if (options.fault == "broadcast" && world.size() * gpus.size() < 2) throw CannotRun("a single GPU broadcasts nothing that could be damaged");
  cuda::describe(gpus, doc);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On, world.size() > 1);
  hplgpu::Benchmark benchmark(options, world, gpus, doc);
  describe(options, benchmark.problem(), world, doc);
  benchmark.run(telemetry);
  const auto names = names_of(world, gpus);
  hplgpu::report_figures(benchmark.problem(), benchmark.repetitions(), names, world.size() == 1 ? "node" : "all", doc);
  std::vector<hplgpu::Result> results;
  for (const auto& each : benchmark.repetitions()) results.push_back({each.seconds, each.residual});
  netlib = hplgpu::netlib_report(benchmark.problem(), results);
  telemetry.report(doc);
  hear_others(world, doc);
  hplgpu::report_checks(benchmark.repetitions(), names, doc);  // of all ranks: they need not be heard
}

void add_options(assay::Args& args, Options& options) {
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.integer("--n", options.order, 0, 10'000'000, "order of the matrix; 0: from --seconds, or else from the GPUs' memory");
  args.integer("--nb", options.block, 32, 4096, "block size");
  args.number("--seconds", options.seconds, 0, 86400, "choose the order so that a factorization takes about so long; 0: fill the memory");
  args.number("--memory-fraction", options.memory_fraction, 0.01, 0.98, "share of each GPU's free memory to take at most");
  args.integer("--repetitions", options.repetitions, 1, 1000, "how often to solve and verify");
  args.choice("--format", options.format, {"assay", "hpl"}, "what stdout gets: our document, or the report of Netlib's HPL");
  args.text("--solution", options.solution, "write x to this file, as doubles");
  args.integer("--strip", options.tuning.strip, 64, 1 << 20, "columns that are updated at once");
  args.integer("--tail", options.tuning.tail, 0, 1000, "halve the panels' width when fewer than N of them remain; 0: never");
  args.integer("--channels", options.device.channels, 1, 64, "most thread blocks of a transfer");
  args.integer("--base", options.device.most_base, 2, 16, "most columns of a panel's base case");
  args.number("--beside", options.tuning.beside, 0, 1e15, "of several ranks: make panels beside the update while more elements than these are left to it");
  args.choice("--inject-bitflip", options.fault, {"none", "matrix", "panel", "broadcast"}, "test: damage this, which must be found");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("hpl-gpu", "High-Performance Linpack on GPUs");
  add_options(args, options);
  if (const auto code = args.parse(argc, argv)) return *code;
  const collectives::World world(&argc, &argv);
  std::ostringstream document;
  std::string netlib;
  bool is_complete = false;
  const int code = run_program("hpl-gpu", document, std::cerr, [&](Document& doc) {
    measure(options, world, netlib, doc);
    is_complete = true;
  });
  if (world.rank() == 0) {
    const bool wants_netlib = options.format == "hpl";
    (wants_netlib ? std::cout : std::cerr) << netlib << std::flush;
    if (!wants_netlib) std::cout << document.str() << std::flush;
  }
  if (!is_complete) world.abandon(code);
  return code;
}
