// p2p: bandwidth and latency between the GPUs of a node. README.md of this folder's parent says what each figure means.
#include <iostream>
#include <string>
#include <vector>

#include "common/args.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "p2p/links.hpp"

namespace {

using assay::Document;
using namespace assay::p2p;
namespace cuda = assay::cuda;

constexpr std::size_t kMebibyte = 1 << 20;

struct Options {
  std::int64_t gpus = 0;
  std::int64_t bytes = 512 << 20;  // of each buffer
  Plan plan;
  std::string detail = "auto";
};

void measure(const Options& options, Document& doc) {
  const auto gpus = cuda::open_gpus(options.gpus);
  if (gpus.size() < 2) throw assay::CannotRun("needs at least two GPUs, found one");
  cuda::describe(gpus, doc);
  const std::size_t bytes = fit_buffers(static_cast<std::size_t>(options.bytes), gpus, doc);
  doc.parameter("bytes", bytes);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::Off);
  Node node(gpus, bytes);
  cuda::Integrity integrity;
  Links(options.plan, node, doc, integrity).run();
  integrity.report(doc);
  telemetry.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("p2p", "Bandwidth and latency between the GPUs of this node");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.bytes(options.bytes, 4 * kMebibyte, 65536 * kMebibyte, "size of each buffer, in whole MiB; at least 4 times the L2 cache");
  args.number("--budget-seconds", options.plan.budget_seconds, 0.001, 60, "most seconds of sampling per pair and mode");
  args.choices("--modes", options.plan.modes, kModes, "what to measure");
  args.choice("--detail", options.detail, {"auto", "pairs"}, "pairs: one part per pair in every mode, however many GPUs");
  args.flag("--inject-bitflip", options.plan.inject_bitflip, "test: damage what was received, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  options.plan.all_pairs = options.detail == "pairs";
  return assay::run_program("p2p", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
