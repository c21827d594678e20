// stencil: advection and diffusion on the cores of a node, or of all processes that mpirun started. README.md of the parent folder has the
// method.
#include <omp.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "collectives/world.hpp"
#include "common/args.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/cores.hpp"
#include "common/host/launch.hpp"
#include "common/host/pinning.hpp"
#include "common/program.hpp"
#include "hpl-gpu/world_team.hpp"
#include "proxy/figures.hpp"
#include "stencil/benchmark.hpp"
#include "stencil/exchange.hpp"
#include "stencil/host_slab.hpp"

namespace {

using namespace assay;
using namespace assay::stencil;

struct Options {
  std::int64_t nx = 256;
  std::int64_t nz = 64;
  std::int64_t rows = 64;
  double seconds = 2;
  std::string precision = "fp32";
  bool inject_bitflip = false;

  bool is_double() const { return precision == "fp64"; }
};

// One process pins a thread to each core; of several, mpirun says where each of them may run.
int take_threads(const collectives::World& world) {
  if (world.size() == 1) {
    const Topology topology;
    pin_team(topology, topology.node());
    return omp_get_max_threads();
  }
  const auto threads = static_cast<int>(std::max<std::int64_t>(1, usable_cores() / launched_ranks_here()));
  omp_set_num_threads(threads);
  return threads;
}

// Before any rank has taken memory: all on this node see the same of it.
void throw_if_too_large(const Shape& shape, bool is_double) {
  const std::int64_t needed = memory_bytes(shape, is_double);
  if (const std::int64_t usable = usable_memory_bytes() / launched_ranks_here(); needed > usable) {
    throw CannotRun(std::to_string(shape.rows) + " rows need " + std::to_string(needed >> 20) + " MiB, and " + std::to_string(usable >> 20) +
                    " MiB are usable: choose smaller --rows, --nx or --nz");
  }
}

std::vector<std::string> rank_names(int ranks) {
  std::vector<std::string> names;
  for (int rank = 0; rank < ranks; ++rank) names.push_back("rank" + std::to_string(rank));
  return names;
}

void measure(const Options& options, const collectives::World& world, Document& doc) {
  hplgpu::WorldTeam team(world);
  int threads = 1;
  team.together([&] { threads = take_threads(world); });
  // All ranks have as many rows: those of the rank with the fewest threads.
  const int rows = static_cast<int>(options.rows) * static_cast<int>(-team.max(-threads));
  const Shape shape{static_cast<int>(options.nx), static_cast<int>(options.nz), rows, world.size(), world.rank()};
  const auto cells = static_cast<double>(shape.cells());
  const double bytes = cells * kBytesPerCell * (options.is_double() ? sizeof(double) : sizeof(float));
  doc.parameter("ranks", world.size());
  doc.parameter("threads", threads);
  doc.parameter("cellsPerRank", cells);
  doc.parameter("precision", options.precision);
  team.together([&] { throw_if_too_large(shape, options.is_double()); });
  std::unique_ptr<Slab> slab;
  team.together([&] { slab = make_host_slab(shape, options.is_double(), ring_exchange(world.rank(), world.size())); });
  if (world.rank() == 0) {
    std::cerr << "stencil: " << cells * 1e-6 << " million cells on each of " << world.size() << " ranks with " << threads << " threads" << std::endl;
  }
  const Findings findings = verify(team, *slab, options.is_double(), options.inject_bitflip);
  std::string complaint;
  report(findings, [&](bool ok, const std::string& what) { complaint += ok ? "" : (complaint.empty() ? "" : "; ") + what; });
  doc.check("verification", complaint.empty(), complaint);
  doc.parameter("errorOfBound", proxy::text_of(findings.error));

  proxy::Figures figures({"cellSteps", "Mcell-steps/s", cells * 1e-6, cells * kOperationsPerCell, bytes});
  const auto timing = proxy::time_steps(team, *slab, options.seconds);
  figures.add_team(world.size(), world.size() == 1 ? "node" : "all", timing, doc);
  if (world.size() == 1) return figures.add_rates({"node"}, "", timing, doc);
  figures.add_ranks(rank_names(world.size()), "PerRank", proxy::time_alone(team, *slab, options.seconds), doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("stencil", "Advection and diffusion by an upwind stencil on all cores: a proxy of WRF");
  args.integer("--nx", options.nx, 8, 16384, "cells along x");
  args.integer("--nz", options.nz, 8, 1024, "cells along z");
  args.integer("--rows", options.rows, 8, 65536, "rows of cells along y, for each thread");
  args.choice("--precision", options.precision, {"fp32", "fp64"}, "of the cells");
  args.number("--seconds", options.seconds, 0.01, 3600, "time to spend on each measurement");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage one cell, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  const collectives::World world(&argc, &argv);
  std::ostringstream document;  // the first rank speaks for all
  bool is_complete = false;
  const int code = run_program("stencil", document, std::cerr, [&](Document& doc) {
    measure(options, world, doc);
    is_complete = true;
  });
  if (world.rank() == 0) std::cout << document.str() << std::flush;
  if (!is_complete) world.abandon(code);
  return code;
}
