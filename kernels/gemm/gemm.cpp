// gemm: sustained matrix products on every GPU, all at once, format by format. README.md of the parent folder has the method.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <exception>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/args.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/integrity.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "gemm/blas.hpp"

namespace {

using assay::Better;
using assay::Document;
using assay::Summary;
using namespace assay::gemm;
namespace cuda = assay::cuda;

const std::vector<std::string> kNames(kPrecisionNames.begin(), kPrecisionNames.end());

struct Options {
  std::int64_t gpus = 0;
  std::int64_t n = 8192;
  double seconds = 1.5;
  std::vector<std::string> precisions = kNames;
  std::string library = "lt";
  bool alone = false;
  bool inject_bitflip = false;
};

// One GPU with the product it repeats.
class Worker {
 public:
  Worker(const cuda::Gpu& gpu, Precision precision, const Options& options)
      : gpu_(gpu),
        stream_(gpu.index),
        operands_(gpu.index, precision, static_cast<std::size_t>(options.n)),
        multiplier_(operands_, precision, options.library == "lt" ? Library::Lt : Library::Direct, stream_) {
    operands_.initialize(stream_);
  }

  const cuda::Gpu& gpu() const { return gpu_; }
  const cuda::Stream& stream() const { return stream_; }
  Operands& operands() { return operands_; }
  Multiplier& multiplier() { return multiplier_; }

  double seconds_of_one() {
    const std::vector<cuda::Flow> flows{{&stream_, [this] { multiplier_.queue(); }}};
    cuda::time_unlatched(flows, {1, 0});
    return cuda::time_unlatched(flows, {2, 0})[0] / 2;
  }

  // Multiplies without a pause until the time is over; returns the seconds of each window of `per_window` products.
  std::vector<double> work(int per_window, double seconds) {
    std::vector<double> windows;
    std::deque<cuda::Event> marks;
    const cuda::Stopwatch watch;
    const auto mark = [&] {
      marks.emplace_back(gpu_.index);
      marks.back().record(stream_);
    };
    const auto retire = [&] {
      marks[1].synchronize();
      float milliseconds = 0;
      cuda::check(cudaEventElapsedTime(&milliseconds, marks[0].get(), marks[1].get()), "reading a timer");
      windows.push_back(milliseconds * 1e-3);
      marks.pop_front();
    };
    mark();
    while (watch.seconds() < seconds || windows.size() + marks.size() < 5) {
      for (int i = 0; i < per_window; ++i) multiplier_.queue();
      mark();
      if (marks.size() > 2) retire();  // one window runs while the next is queued
    }
    while (marks.size() > 1) retire();
    return windows;
  }

 private:
  cuda::Gpu gpu_;
  cuda::Stream stream_;
  Operands operands_;
  Multiplier multiplier_;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

class Program {
 public:
  Program(const Options& options, const std::vector<cuda::Gpu>& gpus, cuda::Telemetry& telemetry, Document& doc)
      : options_(options), gpus_(gpus), telemetry_(telemetry), doc_(doc) {}

  void run(Precision precision) {
    Workers workers;
    for (const auto& gpu : gpus_) workers.push_back(std::make_unique<Worker>(gpu, precision, options_));
    const double seconds = choose_algorithm(workers);
    for (auto& worker : workers) worker->seconds_of_one();  // loads code, and leaves a product to compare with
    std::vector<std::uint64_t> first;
    for (auto& worker : workers) first.push_back(worker->operands().checksum(worker->stream()));

    std::vector<Worker*> all;
    for (auto& worker : workers) all.push_back(worker.get());
    measure(all, precision, seconds, "");
    if (options_.alone && all.size() > 1) {
      for (Worker* worker : all) measure({worker}, precision, seconds, "Alone");
    }
    verify(workers, precision, first);
  }

  void finish() { integrity_.report(doc_); }

 private:
  // Returns the seconds of one product. Tried on the first GPU; all take the same, so that their results are comparable.
  double choose_algorithm(Workers& workers) {
    std::size_t best = 0;
    double best_seconds = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < workers[0]->multiplier().candidates(); ++i) {
      workers[0]->multiplier().choose(i);
      const double seconds = workers[0]->seconds_of_one();
      if (seconds < best_seconds) {
        best = i;
        best_seconds = seconds;
      }
    }
    for (auto& worker : workers) worker->multiplier().choose(best);
    return best_seconds;
  }

  void measure(const std::vector<Worker*>& workers, Precision precision, double seconds_of_one, const std::string& suffix) {
    constexpr double kWindowSeconds = 0.1;
    const int per_window = std::max(1, static_cast<int>(std::lround(kWindowSeconds / seconds_of_one)));
    std::vector<std::vector<double>> windows(workers.size());
    std::vector<std::exception_ptr> errors(workers.size());
    const double begin = telemetry_.now();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          windows[i] = workers[i]->work(per_window, options_.seconds);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    for (const auto& error : errors) {
      if (error) std::rethrow_exception(error);
    }
    const double end = telemetry_.now();

    auto& measurement = doc_.measurement(name_of(precision) + suffix, "TFLOP/s", Better::Higher);
    const double work = per_window * operations(static_cast<double>(options_.n)) * 1e-12;
    for (std::size_t i = 0; i < workers.size(); ++i) measurement.add(workers[i]->gpu().name(), sustained(windows[i], work));
    if (suffix.empty()) describe_load(precision, telemetry_.averages((begin + end) / 2, end));
  }

  // The first half is for clocks and temperature to settle. A GPU at its power limit swings between clocks from window to
  // window, so the figure is all work of the second half over all of its time; the spread is that of the windows.
  static Summary sustained(const std::vector<double>& windows, double work_per_window) {
    std::vector<double> rates;
    double seconds = 0;
    for (std::size_t w = windows.size() / 2; w < windows.size(); ++w) {
      rates.push_back(work_per_window / windows[w]);
      seconds += windows[w];
    }
    Summary summary = assay::summarize(rates);
    summary.value = work_per_window * static_cast<double>(rates.size()) / seconds;
    return summary;
  }

  void describe_load(Precision precision, const std::vector<cuda::Averages>& averages) {
    std::vector<std::optional<double>> clocks, watts, peaks;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      clocks.push_back(averages[i].sm_clock_mhz);
      watts.push_back(averages[i].watts);
      const auto per_clock = operations_per_clock(precision, gpus_[i].major, gpus_[i].minor);
      peaks.push_back(per_clock && clocks[i] ? std::optional<double>(peak_tflops(*per_clock, gpus_[i].multiprocessors, *clocks[i]))
                                             : std::nullopt);
    }
    if (!clocks[0]) return;
    const std::string name = name_of(precision);
    doc_.parameter(name + "ClockMHz", cuda::join_readings(clocks));
    doc_.parameter(name + "PowerW", cuda::join_readings(watts));
    if (peaks[0]) doc_.parameter(name + "PeakAtClock", cuda::join_readings(peaks));
  }

  // The last product must be the first one bit for bit, the same on equal GPUs, and the right one.
  void verify(Workers& workers, Precision precision, const std::vector<std::uint64_t>& first) {
    double worst = 0;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      auto& operands = workers[i]->operands();
      const auto& stream = workers[i]->stream();
      const std::string where = name_of(precision) + " " + gpus_[i].name();
      if (options_.inject_bitflip) cuda::flip_bit(operands.c(), operands.c_bytes() / 3, stream);
      integrity_.expect(where, operands.checksum(stream) == first[i], "the last product differs from the first");
      if (gpus_[i].product == gpus_[0].product) integrity_.expect(where, first[i] == first[0], "the product differs from gpu0's");
      const double residual = operands.residual(stream);
      const double allowed = tolerance(precision, static_cast<double>(options_.n));
      integrity_.expect(where, residual <= allowed,
                        "residual " + std::to_string(residual) + ", allowed " + std::to_string(allowed));
      worst = std::max(worst, residual);
    }
    doc_.parameter(name_of(precision) + "Residual", worst);
  }

  const Options& options_;
  const std::vector<cuda::Gpu>& gpus_;
  cuda::Telemetry& telemetry_;
  Document& doc_;
  cuda::Integrity integrity_;
};

void measure(const Options& options, Document& doc) {
  forbid_emulation();
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  doc.parameter("n", options.n);
  doc.parameter("cublas", library_version());
  doc.parameter("library", options.library == "lt" ? "cuBLASLt, fastest of the heuristic's choices" : "cuBLAS");
  doc.parameter("mathMode", "native units; FP64 and FP32 not emulated, TF32 only where named");
  doc.parameter("operands", "uniform in (-1,1), fixed seed");
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On);
  Program program(options, gpus, telemetry, doc);
  for (const auto& name : options.precisions) {
    const Precision precision = precision_of(name);
    const bool supported = std::all_of(gpus.begin(), gpus.end(), [&](const cuda::Gpu& gpu) {
      return is_supported(precision, gpu.major, gpu.minor);
    });
    if (!supported) {
      doc.note(name + " left out: these GPUs have no units for it");
    } else if (precision == Precision::Fp8 && options.library != "lt") {
      doc.note("fp8 left out: cuBLAS offers it only through cuBLASLt");
    } else {
      program.run(precision);
    }
  }
  telemetry.report(doc);
  program.finish();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("gemm", "Sustained rate of matrix products on the GPUs, all at once");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.integer("--n", options.n, 128, 65536, "order of the matrices, rounded down to a multiple of 16");
  args.number("--seconds", options.seconds, 0.1, 86400, "length of each measurement; the second half counts");
  args.choices("--precisions", options.precisions, kNames, "number formats");
  args.choice("--library", options.library, {"lt", "direct"}, "direct: cuBLAS with its own choice of algorithm");
  args.flag("--alone", options.alone, "also measure every GPU while the others are idle");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage a product, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  options.n -= options.n % 16;
  return assay::run_program("gemm", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
