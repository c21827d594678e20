// hostlink: bandwidth and latency between the host and its GPUs, each alone and all at once, from near and far memory.
#include <iostream>
#include <string>
#include <vector>

#include "common/args.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "hostlink/copies.hpp"

namespace {

using assay::Document;
using namespace assay::hostlink;
namespace cuda = assay::cuda;

constexpr std::size_t kMebibyte = 1 << 20;

struct Options {
  std::int64_t gpus = 0;
  std::int64_t bytes = 256 << 20;  // of each buffer
  Plan plan;
};

void measure(const Options& options, Document& doc) {
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  const auto bytes = static_cast<std::size_t>(options.bytes) / kMebibyte * kMebibyte;
  doc.parameter("bytes", bytes);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::Off);
  cuda::Integrity integrity;
  {
    Links links = make_near_links(gpus, bytes);
    Copies(options.plan, links, doc, integrity).run();
  }
  if (options.plan.wants("far")) measure_far_nodes(options.plan, gpus, bytes, doc, integrity);
  telemetry.report(doc);
  integrity.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("hostlink", "Bandwidth and latency between the host and its GPUs");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.bytes(options.bytes, 4 * kMebibyte, 65536 * kMebibyte, "size of each pinned buffer, in whole MiB");
  args.number("--budget-seconds", options.plan.budget_seconds, 0.001, 60, "most seconds of sampling per figure");
  args.choices("--modes", options.plan.modes, kModes, "what to measure");
  args.flag("--sweep", options.plan.sweep, "also what 1, 2, ... GPUs get together");
  args.flag("--inject-bitflip", options.plan.inject_bitflip, "test: damage what was received, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  return assay::run_program("hostlink", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
