// gpustream: the memory bandwidth of every GPU by the STREAM kernels. README.md of the parent folder has the formulas.
#include <cmath>
#include <deque>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "common/args.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/integrity.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "gpustream/kernels.hpp"
#include "gpustream/l2.hpp"

namespace {

using assay::Better;
using assay::Document;
using assay::StoppingRule;
using namespace assay::gpustream;
namespace cuda = assay::cuda;

constexpr std::size_t kMebibyte = 1 << 20;

struct Options {
  std::int64_t gpus = 0;
  std::int64_t bytes = std::int64_t{2} << 30;  // of each array
  double budget_seconds = 0.3;
  std::vector<std::string> precisions{"fp64", "fp32"};
  std::string statistic = "median";
  bool alone = false;
  bool inject_bitflip = false;
};

class Program {
 public:
  Program(const Options& options, const std::vector<cuda::Gpu>& gpus, std::size_t array_bytes, Document& doc)
      : options_(options), gpus_(gpus), doc_(doc) {
    for (const auto& gpu : gpus) {
      arrays_.emplace_back(gpu.index, gpu.multiprocessors, array_bytes);
      streams_.emplace_back(gpu.index);
    }
  }

  void run(Precision precision) {
    for (std::size_t i = 0; i < gpus_.size(); ++i) arrays_[i].initialize(precision, streams_[i]);
    for (const Kernel kernel : kKernels) {
      for (std::size_t i = 0; i < gpus_.size(); ++i) arrays_[i].poison_output(kernel, streams_[i]);
      const Shape shape = fastest_shape(kernel, precision);
      std::vector<std::size_t> all;
      for (std::size_t i = 0; i < gpus_.size(); ++i) all.push_back(i);
      measure(kernel, precision, shape, all, "");
      if (options_.alone && gpus_.size() > 1) {
        for (const std::size_t i : all) measure(kernel, precision, shape, {i}, "Alone");
      }
      for (const std::size_t i : all) {
        const auto verdict = arrays_[i].verify(kernel, precision, options_.inject_bitflip && kernel == Kernel::Triad, streams_[i]);
        integrity_.expect(metric_name(kernel, precision) + " " + gpus_[i].name(), verdict.ok, verdict.what);
      }
    }
  }

  void run_l2() {
    const std::size_t bytes = l2_buffer_bytes(gpus_[0].l2_bytes);
    doc_.parameter("l2Bytes", bytes);
    std::deque<L2Reader> readers;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      readers.emplace_back(gpus_[i].index, gpus_[i].multiprocessors, bytes, streams_[i]);
    }
    const auto flows_with = [&](const Shape& shape) {
      std::vector<cuda::Flow> flows;
      for (std::size_t i = 0; i < gpus_.size(); ++i) {
        flows.push_back({&streams_[i], [&, i, shape] { readers[i].queue(shape, streams_[i]); }});
      }
      return flows;
    };
    const auto flows = flows_with(fastest(l2_shapes(), flows_with));
    const double gigabytes = readers[0].bytes_read() * 1e-9;
    const auto summaries = cuda::collect_together(gpus_.size(), {8, 60, 0.001, options_.budget_seconds}, [&] {
      std::vector<double> rates;
      for (const double seconds : cuda::time_together(latch_, flows, {1, 1})) rates.push_back(gigabytes / seconds);
      return rates;
    });
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      doc_.measurement("l2Read", "GB/s", Better::Higher).add(gpus_[i].name(), summaries[i]);
      integrity_.expect("l2Read " + gpus_[i].name(), readers[i].verify(options_.inject_bitflip, streams_[i]), "its sum is wrong");
    }
  }

  void finish() { integrity_.report(doc_); }

 private:
  cuda::Flow flow(std::size_t gpu, Kernel kernel, Precision precision, const Shape& shape) {
    return {&streams_[gpu], [=] { arrays_[gpu].queue(kernel, precision, shape, streams_[gpu]); }};
  }

  // The fastest on all GPUs together. The first launch of every shape is not timed: it may load code.
  template <typename FlowsWith>
  Shape fastest(const std::vector<Shape>& shapes, FlowsWith flows_with) {
    Shape best;
    double best_seconds = std::numeric_limits<double>::infinity();
    for (const auto& shape : shapes) {
      const std::vector<cuda::Flow> flows = flows_with(shape);
      cuda::time_unlatched(flows, {1, 0});
      double seconds = 0;
      for (const double of_gpu : cuda::time_together(latch_, flows, {3, 0})) seconds += of_gpu;
      if (seconds < best_seconds) {
        best = shape;
        best_seconds = seconds;
      }
    }
    return best;
  }

  Shape fastest_shape(Kernel kernel, Precision precision) {
    return fastest(candidate_shapes(kernel), [&](const Shape& shape) {
      std::vector<cuda::Flow> flows;
      for (std::size_t i = 0; i < gpus_.size(); ++i) flows.push_back(flow(i, kernel, precision, shape));
      return flows;
    });
  }

  void measure(Kernel kernel, Precision precision, const Shape& shape, const std::vector<std::size_t>& which,
               const std::string& suffix) {
    constexpr int kLaunches = 4;  // per sample
    std::vector<cuda::Flow> flows;
    for (const std::size_t i : which) flows.push_back(flow(i, kernel, precision, shape));
    const double gigabytes = kLaunches * static_cast<double>(bytes_moved(kernel, arrays_[0].bytes())) * 1e-9;
    const StoppingRule rule{8, 60, 0.001, options_.budget_seconds};
    const auto rules = cuda::sample_together(which.size(), rule, [&] {
      std::vector<double> rates;
      for (const double seconds : cuda::time_together(latch_, flows, {kLaunches, 1})) rates.push_back(gigabytes / seconds);
      return rates;
    });
    auto& measurement = doc_.measurement(metric_name(kernel, precision) + suffix, "GB/s", Better::Higher);
    for (std::size_t k = 0; k < which.size(); ++k) {
      measurement.add(gpus_[which[k]].name(), options_.statistic == "best"
                                                  ? assay::summarize_best(rules[k].steady_samples(), Better::Higher)
                                                  : rules[k].summary());
    }
  }

  const Options& options_;
  const std::vector<cuda::Gpu>& gpus_;
  Document& doc_;
  std::deque<Arrays> arrays_;
  std::deque<cuda::Stream> streams_;
  cuda::Latch latch_;
  cuda::Integrity integrity_;
};

// Three arrays, each in at most a quarter of what is free on the fullest GPU. Arrays that had to shrink to less than four times the L2
// cache would show its rates.
std::size_t array_bytes(const Options& options, const std::vector<cuda::Gpu>& gpus, Document& doc) {
  const std::size_t wanted = static_cast<std::size_t>(options.bytes) / kMebibyte * kMebibyte;
  const std::size_t bytes = cuda::fit_memory(gpus, {wanted, std::min(wanted, 4 * gpus[0].l2_bytes)}, cuda::equal_share(4), "arrays", doc);
  if (bytes < 4 * gpus[0].l2_bytes) doc.note("the arrays are smaller than four times the L2 cache: rates may be the cache's");
  return bytes;
}

void report_peak_at_clock(const std::vector<cuda::Gpu>& gpus, const std::vector<cuda::Averages>& averages, Document& doc) {
  std::vector<std::optional<double>> peaks;
  bool known = false;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    int width = 0;
    cuda::check(cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, gpus[i].index), "reading the bus width");
    const auto& clock = averages[i].memory_clock_mhz;
    peaks.push_back(clock ? std::optional<double>(memory_peak_gbps(*clock, width)) : std::nullopt);
    known = known || clock.has_value();
  }
  if (known) doc.parameter("peakAtClockGBps", cuda::join_readings(peaks));
}

void measure(const Options& options, Document& doc) {
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  const std::size_t bytes = array_bytes(options, gpus, doc);
  doc.parameter("bytes", bytes);
  doc.parameter("statistic", options.statistic);
  Program program(options, gpus, bytes, doc);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On);
  for (const auto& precision : options.precisions) program.run(precision == "fp64" ? Precision::Fp64 : Precision::Fp32);
  program.run_l2();
  report_peak_at_clock(gpus, telemetry.averages(0, telemetry.now()), doc);
  telemetry.report(doc);
  program.finish();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("gpustream", "Memory bandwidth of the GPUs, all at once, by the STREAM kernels");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.bytes(options.bytes, 16 * kMebibyte, 65536 * kMebibyte, "size of each of the three arrays, in whole MiB");
  args.number("--budget-seconds", options.budget_seconds, 0.001, 600, "most seconds of sampling per kernel");
  args.choices("--precisions", options.precisions, {"fp64", "fp32"}, "element types");
  args.choice("--statistic", options.statistic, {"median", "best"}, "what a part's value is; BabelStream reports the best");
  args.flag("--alone", options.alone, "also measure every GPU while the others are idle");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage a result, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  return assay::run_program("gpustream", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
