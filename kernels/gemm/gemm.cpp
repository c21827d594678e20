// gemm: sustained matrix products on every GPU, all at once, format by format. README.md of the parent folder has the method.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/args.hpp"
#include "common/cuda/integrity.hpp"
#include "common/cuda/on_all.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "gemm/choice.hpp"
#include "gemm/worker.hpp"

namespace {

using assay::Better;
using assay::Document;
using namespace assay::gemm;
namespace cuda = assay::cuda;

const std::vector<std::string> kNames(kPrecisionNames.begin(), kPrecisionNames.end());

struct Options {
  std::int64_t gpus = 0;
  std::int64_t n = 8192;
  double seconds = 1.5;
  std::vector<std::string> precisions = kNames;
  std::string library = "direct";
  bool alone = false;
  bool inject_bitflip = false;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

class Program {
 public:
  Program(const Options& options, const std::vector<cuda::Gpu>& gpus, cuda::Telemetry& telemetry, Document& doc)
      : options_(options), gpus_(gpus), telemetry_(telemetry), doc_(doc) {}

  void run(Precision precision) {
    const Library library = options_.library == "lt" ? Library::Any : Library::Direct;
    Workers workers;
    const auto n = static_cast<std::size_t>(options_.n);
    for (const auto& gpu : gpus_) workers.push_back(std::make_unique<Worker>(gpu, precision, n, library));
    if (library == Library::Any) choose_algorithms(workers);
    std::vector<double> seconds(workers.size());
    std::vector<std::uint64_t> first(workers.size());  // the checksums of what all later products are compared with
    cuda::on_all(workers.size(), [&](std::size_t i) {
      seconds[i] = workers[i]->seconds_of_one();
      first[i] = workers[i]->operands().checksum(workers[i]->stream());
    });
    const double seconds_of_one = *std::max_element(seconds.begin(), seconds.end());
    std::vector<std::string> algorithms;
    for (auto& worker : workers) algorithms.push_back(worker->multiplier().algorithm());
    doc_.parameter(name_of(precision) + "Algorithm", join_algorithms(algorithms));

    std::vector<Worker*> all;
    for (auto& worker : workers) all.push_back(worker.get());
    measure(all, precision, seconds_of_one, "");
    if (options_.alone && all.size() > 1) {
      for (Worker* worker : all) measure({worker}, precision, seconds_of_one, "Alone");
    }
    verify(workers, precision, first);
  }

  void finish() { integrity_.report(doc_); }

 private:
  // GPUs of one product all take the same algorithm, so that their results are comparable.
  void choose_algorithms(Workers& workers) {
    std::vector<std::vector<double>> seconds(workers.size());
    cuda::on_all(workers.size(), [&](std::size_t i) { seconds[i] = workers[i]->try_all(); });
    std::map<std::string, std::vector<std::vector<double>>> by_product;
    for (std::size_t i = 0; i < workers.size(); ++i) by_product[workers[i]->gpu().product].push_back(seconds[i]);
    for (auto& worker : workers) worker->multiplier().choose(fastest(by_product[worker->gpu().product]));
  }

  void measure(const std::vector<Worker*>& workers, Precision precision, double seconds_of_one, const std::string& suffix) {
    const double half = options_.seconds / 2;  // the first is for clocks and temperature to settle
    const double window_seconds = std::min(0.1, half / 6);
    const int per_window = std::max(1, static_cast<int>(std::lround(window_seconds / seconds_of_one)));
    std::vector<std::vector<double>> windows(workers.size());
    const double begin = telemetry_.now();
    cuda::on_all(workers.size(), [&](std::size_t i) {
      windows[i] = workers[i]->work(per_window, per_window * seconds_of_one, half, half);
    });
    const double end = telemetry_.now();

    auto& measurement = doc_.measurement(name_of(precision) + suffix, "TFLOP/s", Better::Higher);
    const double work = per_window * operations(static_cast<double>(options_.n)) * 1e-12;
    for (std::size_t i = 0; i < workers.size(); ++i) measurement.add(workers[i]->gpu().name(), sustained_rate(windows[i], work));
    if (suffix.empty()) describe_load(precision, telemetry_.averages(begin + half, end));
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
  doc.parameter("library", options.library == "lt" ? "the fastest of cuBLAS's and cuBLASLt's choices" : "cuBLAS");
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
  args.choice("--library", options.library, {"lt", "direct"}, "direct: cuBLAS with its own choice of algorithm; lt: the fastest that cuBLASLt offers");
  args.flag("--alone", options.alone, "also measure every GPU while the others are idle");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage a product, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  options.n -= options.n % 16;
  return assay::run_program("gemm", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
