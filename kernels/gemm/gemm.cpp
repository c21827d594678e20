// gemm: sustained matrix products on every GPU, all at once, format by format. README.md of the parent folder has the method.
#include <iostream>
#include <string>
#include <vector>

#include "common/args.hpp"
#include "common/program.hpp"
#include "gemm/products.hpp"

namespace {

using assay::Document;
using namespace assay::gemm;
namespace cuda = assay::cuda;

struct Options {
  std::int64_t gpus = 0;
  Plan plan;
  std::vector<std::string> precisions = kNames;
  std::string library = "direct";
};

void measure(const Options& options, Document& doc) {
  forbid_emulation();
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  describe(options.plan, doc);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On);
  cuda::Integrity integrity;
  Products products(options.plan, gpus, telemetry, doc, integrity);
  for (const auto& name : options.precisions) products.run(precision_of(name));
  telemetry.report(doc);
  integrity.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("gemm", "Sustained rate of matrix products on the GPUs, all at once");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.integer("--n", options.plan.n, 128, 65536, "order of the matrices, rounded down to a multiple of 16");
  args.number("--seconds", options.plan.seconds, 0.1, 86400, "length of each measurement; the second half counts");
  args.choices("--precisions", options.precisions, kNames, "number formats");
  args.choice("--library", options.library, {"lt", "direct"}, "direct: cuBLAS with its own choice of algorithm; lt: the fastest that cuBLASLt offers");
  args.flag("--alone", options.plan.alone, "also measure every GPU while the others are idle");
  args.flag("--inject-bitflip", options.plan.inject_bitflip, "test: damage a product, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  options.plan.n -= options.plan.n % 16;
  if (options.library == "lt") options.plan.library = Library::Any;
  return assay::run_program("gemm", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
