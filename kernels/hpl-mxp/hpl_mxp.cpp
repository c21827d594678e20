// hpl-mxp: a diagonally dominant system on every GPU, factored in half precision and refined in double. README.md of the parent folder has
// the method.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/args.hpp"
#include "common/cuda/emulation.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/on_all.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "hpl-gpu/progress.hpp"
#include "hpl-gpu/report.hpp"
#include "hpl-mxp/cuda_device.hpp"
#include "hpl-mxp/system.hpp"

namespace {

using namespace assay;
using hplmxp::Shape;

constexpr std::size_t kReservedBytes = std::size_t{2} << 30;  // for cuBLAS and kernels

struct Options {
  std::int64_t gpus = 0;
  std::int64_t order = 0;
  std::int64_t block = 2048;
  std::int64_t strip = 16384;
  double memory_fraction = 0.95;
  std::int64_t repetitions = 1;
  bool inject_bitflip = false;
};

struct Result {
  double factor_seconds = 0;
  double refine_seconds = 0;
  double watts = 0;
  hplmxp::Solution solution;
  double seconds() const { return factor_seconds + refine_seconds; }
};

std::int64_t order_for(std::int64_t bytes, const Options& options) {
  std::int64_t order = 0;
  while (Shape{order + options.block, options.block, options.strip}.bytes() <= bytes) order += options.block;
  return order;
}

Shape shape_for(const Options& options, const std::vector<cuda::Gpu>& gpus, Document& doc) {
  const auto bytes_for = [&](std::int64_t order) { return static_cast<std::size_t>(Shape{order, options.block, options.strip}.bytes()); };
  const cuda::BufferSize size{options.order > 0 ? bytes_for(options.order) : gpus.front().memory_bytes,
                              bytes_for(options.order > 0 ? options.order : options.block)};
  const cuda::Share share = [&](std::size_t free) {
    return static_cast<std::size_t>(options.memory_fraction * static_cast<double>(free - std::min(free, kReservedBytes)));
  };
  const std::size_t fitting = cuda::fit_memory(gpus, size, share, "a matrix and its blocks", doc);
  return {options.order > 0 ? options.order : order_for(static_cast<std::int64_t>(fitting), options), options.block, options.strip};
}

// One GPU's work: all repetitions.
class Worker {
 public:
  Worker(const Options& options, const Shape& shape, const cuda::Gpu& gpu, std::size_t index, cuda::Telemetry& telemetry)
      : options_(options), shape_(shape), gpu_(gpu), index_(index), telemetry_(telemetry), device_(hplmxp::make_cuda_device(gpu)), system_(shape, *device_) {}

  void run() {
    system_.prepare();
    warm_up();
    for (std::int64_t i = 0; i < options_.repetitions; ++i) results_.push_back(measure());
  }

  const std::vector<Result>& results() const { return results_; }

  std::string position() const {
    return std::to_string(std::lround(100 * done_)) + " % of the operations of repetition " + std::to_string(results_.size() + 1) + " of " +
           std::to_string(options_.repetitions);
  }

 private:
  // A small system, so that cuBLAS loads its kernels.
  void warm_up() {
    const Shape small{std::min<std::int64_t>(shape_.order, 2 * shape_.block), shape_.block, shape_.strip};
    const auto device = hplmxp::make_cuda_device(gpu_);
    hplmxp::System system(small, *device);
    system.prepare();
    system.factor([](std::int64_t) {});
    system.refine();
  }

  Result measure() {
    hplgpu::Meter meter(shape_.order);
    device_->wait();
    const double begin = telemetry_.now();
    const cuda::Stopwatch watch;
    system_.factor(
        [&](std::int64_t columns) {
          const auto line = meter.at(columns, watch.seconds());
          done_ = meter.done();
          if (index_ == 0 && line) std::cerr << "hpl-mxp: " << *line << std::endl;
        },
        options_.inject_bitflip);
    Result result;
    result.factor_seconds = watch.seconds();
    result.solution = system_.refine();
    result.refine_seconds = watch.seconds() - result.factor_seconds;
    result.watts = telemetry_.averages(begin, telemetry_.now())[index_].watts.value_or(0);
    return result;
  }

  const Options& options_;
  Shape shape_;
  const cuda::Gpu& gpu_;
  std::size_t index_;
  cuda::Telemetry& telemetry_;
  std::unique_ptr<hplmxp::Device> device_;
  hplmxp::System system_;
  std::vector<Result> results_;
  double done_ = 0;  // of the current repetition
};

template <typename Figure>
Summary over(const std::vector<Result>& results, Figure figure) {
  std::vector<double> values;
  for (const Result& each : results) values.push_back(figure(each));
  return summarize(values);
}

void report(const Shape& shape, const std::string& gpu, const std::vector<Result>& results, Document& doc) {
  const double operations = hplgpu::operations_of(shape.order);
  const auto rate = [&](const Result& each) { return operations / each.seconds() * 1e-12; };
  doc.measurement("hplMxpPerGpu", "TFLOP/s", Better::Higher).add(gpu, over(results, rate));
  const auto add_seconds = [&](const std::string& name, auto figure) { doc.measurement(name, "s", Better::Lower).add(gpu, over(results, figure)); };
  add_seconds("hplMxpTime", [](const Result& each) { return each.seconds(); });
  add_seconds("factorTime", [](const Result& each) { return each.factor_seconds; });
  add_seconds("refineTime", [](const Result& each) { return each.refine_seconds; });
  doc.measurement("refinements", "1", Better::Lower).add(gpu, over(results, [](const Result& each) { return each.solution.iterations; }));
  if (std::all_of(results.begin(), results.end(), [](const Result& each) { return each.watts > 0; })) {
    doc.measurement("hplMxpPerWatt", "GFLOP/s/W", Better::Higher).add(gpu, over(results, [&](const Result& each) { return 1e3 * rate(each) / each.watts; }));
  }
  for (const Result& each : results) {
    const double scaled = each.solution.residual.scaled;
    doc.check("residual", each.solution.residual.passed(),
              each.solution.residual.passed() ? "" : gpu + ": the scaled residual is " + std::to_string(scaled) + " after " +
                                                         std::to_string(each.solution.iterations) + " refinements, allowed are less than 16");
  }
}

void measure(const Options& options, Document& doc) {
  cuda::forbid_emulation();
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  const Shape shape = shape_for(options, gpus, doc);
  doc.parameter("N", shape.order);
  doc.parameter("NB", shape.block);
  doc.parameter("strip", shape.strip);
  doc.parameter("formats", "products in FP16, added up in FP32; refined in FP64");
  std::cerr << "hpl-mxp: N=" << shape.order << " NB=" << shape.block << " on each of " << gpus.size() << " GPUs" << std::endl;
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On);
  std::vector<std::unique_ptr<Worker>> workers(gpus.size());
  try {
    cuda::on_all(gpus.size(), [&](std::size_t i) {
      workers[i] = std::make_unique<Worker>(options, shape, gpus[i], i, telemetry);
      workers[i]->run();
    });
  } catch (const Stopped&) {
    if (workers[0]) doc.note("stopped after " + workers[0]->position());
    throw;
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) report(shape, gpus[i].name(), workers[i]->results(), doc);
  telemetry.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("hpl-mxp", "Linpack in mixed precision on every GPU");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.integer("--n", options.order, 0, 10'000'000, "order of the matrix; 0: from the GPUs' memory");
  args.integer("--nb", options.block, 32, 8192, "block size");
  args.integer("--strip", options.strip, 64, 1 << 20, "columns that are updated at once");
  args.number("--memory-fraction", options.memory_fraction, 0.01, 0.98, "share of each GPU's free memory to take at most");
  args.integer("--repetitions", options.repetitions, 1, 1000, "how often to solve");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage the matrix halfway, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("hpl-mxp", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
