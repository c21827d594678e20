// Lennard-Jones molecular dynamics in FP64 with neighbour lists on 1, 2, 4 ... GPUs, one slab of a crystal on each. README.md
// has the formulas.
#include <cmath>
#include <iostream>
#include <string>

#include "common/args.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "common/scaling.hpp"
#include "md/slabs.hpp"

namespace {

using namespace assay;

constexpr int kStepsPerSample = 40;
constexpr double kSettlingSeconds = 0.4;  // of load before anything is timed: forces draw enough power to lower the clocks
constexpr double kEnergyTolerance = 1e-4;  // relative change of the total energy over the run

struct Options {
  std::int64_t bands = 32;  // of 4 layers, per GPU
  std::int64_t gpus = 0;
  double seconds = 0.5;  // per team size
  bool inject_bitflip = false;
};

void settle(md::Slabs& slabs) {
  const cuda::Stopwatch watch;
  while (watch.seconds() < kSettlingSeconds) slabs.run(kStepsPerSample);
}

void report_per_gpu(md::Slabs& slabs, const std::vector<cuda::Gpu>& gpus, double flops_per_gpu, const StoppingRule& rule,
                    Document& doc) {
  const auto rates = cuda::collect_together(gpus.size(), rule, [&] {
    auto samples = slabs.evaluate_forces(kStepsPerSample);
    for (double& sample : samples) sample = flops_per_gpu * kStepsPerSample / sample * 1e-12;
    return samples;
  });
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    doc.measurement("pairForcesPerGpu", "TFLOP/s", Better::Higher).add(gpus[i].name(), rates[i]);
  }
}

void measure(const Options& options, Document& doc) {
  cuda::load_kernels_eagerly();
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  const int layers = static_cast<int>(options.bands) * md::kBlockEdge;
  const double atoms_per_gpu = md::atoms_per_slab(layers);
  doc.parameter("atomsPerGpu", md::atoms_per_slab(layers));
  doc.parameter("cutoff", md::kCutoff);
  doc.parameter("skin", md::kSkin);
  const StoppingRule rule(15, 100, 0.002, options.seconds);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On);
  cuda::Integrity integrity;
  Scaling scaling;
  for (const int size : team_sizes(static_cast<int>(gpus.size()))) {
    md::Slabs slabs(gpus, size, layers);
    const md::Totals at_start = slabs.totals();
    settle(slabs);
    const auto step_rate = cuda::collect(rule, [&] {
      return atoms_per_gpu * size * kStepsPerSample / slabs.run(kStepsPerSample);
    });
    slabs.stop();
    const md::Totals at_end = slabs.totals();
    slabs.verify(team_name(size), options.inject_bitflip, integrity);
    integrity.expect(team_name(size), at_end.strays == 0, "an atom left the range of its neighbour list");
    integrity.expect(team_name(size), std::abs(at_end.energy / at_start.energy - 1) < kEnergyTolerance,
                     "the energy changed from " + std::to_string(at_start.energy) + " to " + std::to_string(at_end.energy));

    const double flops_per_atom = md::flops(at_end.listed, at_end.inside) / (atoms_per_gpu * size);
    doc.measurement("atomSteps", "atom-steps/s", Better::Higher).add(team_name(size), step_rate);
    scaling.add(size, rescaled(step_rate, flops_per_atom * 1e-12));
    if (size != static_cast<int>(gpus.size())) continue;
    doc.parameter("listedPerAtom", at_end.listed / (atoms_per_gpu * size));
    doc.parameter("insideCutoffPerAtom", at_end.inside / (atoms_per_gpu * size));
    report_per_gpu(slabs, gpus, flops_per_atom * atoms_per_gpu, rule, doc);
  }
  scaling.report(doc, "md", "TFLOP/s");
  telemetry.report(doc);
  integrity.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("md", "Lennard-Jones MD in FP64 with neighbour lists on 1, 2, 4 ... GPUs");
  args.integer("--bands", options.bands, 2, 512, "65536 atoms each, per GPU");
  args.integer("--gpus", options.gpus, 0, 64, "use the first so many GPUs (0: all)");
  args.number("--seconds", options.seconds, 0.01, 3600, "time to spend on each measurement");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage one force, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("md", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
