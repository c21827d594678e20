// stencil-gpu: advection and diffusion on 1, 2, 4 ... GPUs of this process, or on all processes that mpirun started. README.md of the parent
// folder has the method.
#include <iostream>

#include "proxy/main.hpp"
#include "stencil/benchmark.hpp"
#include "stencil-gpu/gpu_slab.hpp"

namespace {

using namespace assay;
using namespace assay::stencil;

struct Options {
  std::int64_t nx = 1024;
  std::int64_t nz = 64;
  std::int64_t rows = 512;
  std::int64_t gpus = 0;
  double seconds = 1;
  std::string precision = "fp32";
  bool inject_bitflip = false;

  bool is_double() const { return precision == "fp64"; }
  Shape shape(int ranks, int rank) const { return {static_cast<int>(nx), static_cast<int>(nz), static_cast<int>(rows), ranks, rank}; }
};

Findings measure_rank(const Options& options, const proxy::Rank& rank, const proxy::GpuRanks& ranks, proxy::Figures& figures, Document& doc) {
  hplgpu::Team& team = rank.team;
  const auto slab = make_gpu_slab(rank, options.shape(team.size(), team.rank()), options.is_double());
  const Findings findings = verify(team, *slab, options.is_double(), options.inject_bitflip);
  const auto timing = proxy::time_steps(team, *slab, options.seconds);
  if (rank.speaks) figures.add_team(team.size(), ranks.name_of(team.size()), timing, doc);
  if (!ranks.is_largest(team.size())) return findings;
  const auto alone = proxy::time_alone(team, *slab, options.seconds);
  if (rank.speaks) figures.add_ranks(ranks.rank_names(), "PerGpu", alone, doc);
  return findings;
}

void measure(const Options& options, const proxy::GpuRanks& ranks, Document& doc, cuda::Integrity& integrity) {
  const auto cells = static_cast<double>(options.shape(1, 0).cells());
  const double operations = cells * kOperationsPerCell;
  const double bytes = cells * kBytesPerCell * (options.is_double() ? sizeof(double) : sizeof(float));
  doc.parameter("cellsPerGpu", cells);
  doc.parameter("precision", options.precision);
  doc.parameter("operationsPerStep", operations);
  doc.parameter("bytesPerStep", bytes);
  proxy::Figures figures({"cellSteps", "Mcell-steps/s", cells * 1e-6, operations, bytes});
  for (const int size : ranks.sizes()) {
    std::cerr << "stencil-gpu: " << ranks.name_of(size) << ", " << cells * 1e-6 << " million cells on each GPU" << std::endl;
    Findings findings;
    ranks.run(size, [&](const proxy::Rank& rank) {
      const Findings own = measure_rank(options, rank, ranks, figures, doc);
      if (rank.speaks) findings = own;
    });
    report(findings, [&](bool ok, const std::string& what) { integrity.expect(ranks.name_of(size), ok, what); });
    doc.parameter("errorOfBound-" + ranks.name_of(size), proxy::text_of(findings.error));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("stencil-gpu", "Advection and diffusion by an upwind stencil on 1, 2, 4 ... GPUs: a proxy of WRF");
  args.integer("--nx", options.nx, 8, 16384, "cells along x");
  args.integer("--nz", options.nz, 8, 1024, "cells along z");
  args.integer("--rows", options.rows, 8, 65536, "rows of cells along y, on each GPU");
  args.choice("--precision", options.precision, {"fp32", "fp64"}, "of the cells");
  args.integer("--gpus", options.gpus, 0, 64, "use the first so many GPUs (0: all)");
  args.number("--seconds", options.seconds, 0.01, 3600, "time to spend on each measurement");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage one cell, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  const collectives::World world(&argc, &argv);
  return proxy::run_on_gpus("stencil-gpu", world, options.gpus, [&](const proxy::GpuRanks& ranks, Document& doc, cuda::Integrity& integrity) {
    measure(options, ranks, doc, integrity);
  });
}
