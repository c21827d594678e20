// collectives: NCCL's collective operations over all GPUs of this process, or of all processes that mpirun started.
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "collectives/figures.hpp"
#include "collectives/own_gpus.hpp"
#include "common/args.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"

namespace {

using assay::Document;
using namespace assay::collectives;
namespace cuda = assay::cuda;

constexpr std::int64_t kMostBytes = 1LL << 40;

struct Options {
  std::int64_t gpus = 0;
  Plan plan;
};

// A ring over the plain links: what their wires carry, without help from the switches.
void force_ring() {
  setenv("NCCL_ALGO", "Ring", 1);
  setenv("NCCL_NVLS_ENABLE", "0", 1);
}

void measure(const Options& options, const World& world, Document& doc) {
  if (options.plan.ring) force_ring();
  const auto gpus = own_gpus(options.gpus, world);
  if (world.size() * static_cast<int>(gpus.size()) < 2) throw assay::CannotRun("needs at least two GPUs, found one");
  cuda::describe(gpus, doc);
  const std::size_t most_bytes = fit_buffers(options.plan, gpus, world, doc);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::Off, world.size() > 1);
  Ranks ranks(world, gpus, most_bytes);
  describe(options.plan, ranks, world, doc);
  cuda::Integrity integrity;
  Figures(options.plan, world, ranks, most_bytes, doc, integrity).run();
  integrity.report(doc);
  telemetry.report(doc);
  // The first process speaks for all, so what is wrong with the others' GPUs has to be in its document too.
  const auto hear = [&](const std::string& check, const std::string& complaint) {
    const std::string elsewhere = world.first_complaint(world.rank() == 0 ? "" : complaint);
    if (!elsewhere.empty()) doc.check(check, false, elsewhere);
  };
  hear("otherProcesses", doc.first_failure());
  for (const char* check : {"undisturbed", "comparable"}) hear(check, doc.complaint_of(check));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("collectives", "NCCL collective operations: bandwidth and latency by message size");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.integers("--sizes", options.plan.sizes, 4, kMostBytes, "message sizes in bytes, as NCCL's tests count them");
  args.choices("--operations", options.plan.operations, kNames, "what to measure");
  args.choices("--placements", options.plan.placements, {"out", "in"}, "results in a buffer of their own, or where the data lay");
  args.number("--budget-seconds", options.plan.budget_seconds, 0.001, 600, "most seconds of sampling per operation and size");
  args.flag("--ring", options.plan.ring, "force a ring with NVLS off: the health of the links");
  args.flag("--inject-bitflip", options.plan.inject_bitflip, "test: damage what was received, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  const World world(&argc, &argv);
  std::ostringstream discarded;  // the first process speaks for all
  std::ostream& out = world.rank() == 0 ? std::cout : discarded;
  bool is_complete = false;
  const int code = assay::run_program("collectives", out, std::cerr, [&](Document& doc) {
    measure(options, world, doc);
    is_complete = true;
  });
  if (!is_complete) world.abandon(code);
  return code;
}
