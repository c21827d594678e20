// gpustream: the memory bandwidth of every GPU by the STREAM kernels. README.md of the parent folder has the formulas.
#include <iostream>
#include <string>
#include <vector>

#include "common/args.hpp"
#include "common/program.hpp"
#include "gpustream/bandwidth.hpp"

namespace {

using assay::Document;
using namespace assay::gpustream;
namespace cuda = assay::cuda;

constexpr std::size_t kMebibyte = 1 << 20;

struct Options {
  std::int64_t gpus = 0;
  std::int64_t bytes = std::int64_t{2} << 30;  // of each array
  Plan plan;
  std::vector<std::string> precisions{"fp64", "fp32"};
  std::string statistic = "median";
};

void measure(const Options& options, Document& doc) {
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  const std::size_t bytes = fit_arrays(static_cast<std::size_t>(options.bytes), gpus, doc);
  doc.parameter("bytes", bytes);
  doc.parameter("statistic", options.statistic);
  cuda::Integrity integrity;
  Bandwidth bandwidth(options.plan, gpus, bytes, doc, integrity);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On);
  for (const auto& precision : options.precisions) bandwidth.run(precision == "fp64" ? Precision::Fp64 : Precision::Fp32);
  bandwidth.run_l2();
  report_peak_at_clock(gpus, telemetry.averages(0, telemetry.now()), doc);
  telemetry.report(doc);
  integrity.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("gpustream", "Memory bandwidth of the GPUs, all at once, by the STREAM kernels");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.bytes(options.bytes, 16 * kMebibyte, 65536 * kMebibyte, "size of each of the three arrays, in whole MiB");
  args.number("--budget-seconds", options.plan.budget_seconds, 0.001, 600, "most seconds of sampling per kernel");
  args.choices("--precisions", options.precisions, {"fp64", "fp32"}, "element types");
  args.choice("--statistic", options.statistic, {"median", "best"}, "what a part's value is; BabelStream reports the best");
  args.flag("--alone", options.plan.alone, "also measure every GPU while the others are idle");
  args.flag("--inject-bitflip", options.plan.inject_bitflip, "test: damage a result, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  options.plan.best = options.statistic == "best";
  return assay::run_program("gpustream", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
