#include "gemm/products.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "common/cuda/on_all.hpp"
#include "gemm/certainty.hpp"
#include "gemm/choice.hpp"

namespace assay::gemm {

void describe(const Plan& plan, Document& doc) {
  doc.parameter("n", plan.n);
  doc.parameter("cublas", library_version());
  doc.parameter("library", plan.library == Library::Any ? "the fastest of cuBLAS's and cuBLASLt's choices" : "cuBLAS");
  doc.parameter("mathMode", "native units; FP64 and FP32 not emulated, TF32 only where named");
  doc.parameter("operands", "uniform in (-1,1), fixed seed");
}

void Products::run(Precision precision, const Course& course) {
  const bool supported = std::all_of(gpus_.begin(), gpus_.end(), [&](const cuda::Gpu& gpu) {
    return is_supported(precision, gpu.major, gpu.minor);
  });
  if (!supported) return doc_.note(name_of(precision) + " left out: these GPUs have no units for it");
  Workers workers = make_workers(precision);
  if (plan_.library == Library::Any) choose_algorithms(workers);
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
  measure(all, precision, seconds_of_one, "", course);
  if (plan_.alone && all.size() > 1) {
    for (Worker* worker : all) measure({worker}, precision, seconds_of_one, "Alone", {});
  }
  verify(workers, precision, first);
}

void warm_up(const std::vector<cuda::Gpu>& gpus, const std::vector<Precision>& precisions, const Plan& plan) {
  cuda::on_all(gpus.size(), [&](std::size_t i) {
    for (const Precision precision : precisions) {
      if (!is_supported(precision, gpus[i].major, gpus[i].minor)) continue;
      Worker(gpus[i], precision, static_cast<std::size_t>(plan.n), plan.library).seconds_of_one();
    }
  });
}

Products::Workers Products::make_workers(Precision precision) const {
  Workers workers(gpus_.size());
  cuda::on_all(gpus_.size(), [&](std::size_t i) {
    workers[i] = std::make_unique<Worker>(gpus_[i], precision, static_cast<std::size_t>(plan_.n), plan_.library);
  });
  return workers;
}

// GPUs of one product all take the same algorithm, so that their results are comparable.
void Products::choose_algorithms(Workers& workers) const {
  std::vector<std::vector<double>> seconds(workers.size());
  cuda::on_all(workers.size(), [&](std::size_t i) { seconds[i] = workers[i]->try_all(); });
  std::map<std::string, std::vector<std::vector<double>>> by_product;
  for (std::size_t i = 0; i < workers.size(); ++i) by_product[workers[i]->gpu().product].push_back(seconds[i]);
  for (auto& worker : workers) worker->multiplier().choose(fastest(by_product[worker->gpu().product]));
}

void Products::measure(const std::vector<Worker*>& workers, Precision precision, double seconds_of_one, const std::string& suffix,
                       const Course& course) {
  const double settling = plan_.seconds * course.settling;  // clocks and temperature
  const double counted = plan_.seconds - settling;
  const double window_seconds = std::min(course.window_seconds, counted / 6);
  const Load load{std::max(1, static_cast<int>(std::lround(window_seconds / seconds_of_one))), settling};
  const double last = load.per_window * seconds_of_one;  // is under way when the others are enough, and counts too
  constexpr std::size_t kFewest = 6;
  constexpr std::size_t kNoMost = 1U << 20;
  Certainty certainty(workers.size(), {kFewest, kNoMost, course.tolerance > 0 ? course.tolerance : -1, counted - last});
  std::vector<std::vector<double>> windows(workers.size());
  cuda::on_all(workers.size(), [&](std::size_t i) {
    try {
      windows[i] = workers[i]->work(load, [&](double seconds) {
        certainty.add(i, seconds);
        return certainty.is_enough();
      });
    } catch (...) {
      certainty.give_up();
      throw;
    }
  });
  const double end = telemetry_.now();
  const double begin = end - std::accumulate(windows[0].begin(), windows[0].end(), 0.0);

  auto& measurement = doc_.measurement(name_of(precision) + suffix, "TFLOP/s", Better::Higher);
  const double work = load.per_window * operations(static_cast<double>(plan_.n)) * 1e-12;
  for (std::size_t i = 0; i < workers.size(); ++i) measurement.add(workers[i]->gpu().name(), sustained_rate(windows[i], work));
  if (suffix.empty()) describe_load(precision, telemetry_.averages(begin, end));
}

void Products::describe_load(Precision precision, const std::vector<cuda::Averages>& averages) {
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
void Products::verify(Workers& workers, Precision precision, const std::vector<std::uint64_t>& first) {
  double worst = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    auto& operands = workers[i]->operands();
    const auto& stream = workers[i]->stream();
    const std::string where = name_of(precision) + " " + gpus_[i].name();
    if (plan_.inject_bitflip) cuda::flip_bit(operands.c(), operands.c_bytes() / 3, stream);
    integrity_.expect(where, operands.checksum(stream) == first[i], "the last product differs from the first");
    if (gpus_[i].product == gpus_[0].product) integrity_.expect(where, first[i] == first[0], "the product differs from gpu0's");
    const double residual = operands.residual(stream);
    const double allowed = tolerance(precision, static_cast<double>(plan_.n));
    integrity_.expect(where, residual <= allowed,
                      "residual " + std::to_string(residual) + ", allowed " + std::to_string(allowed));
    worst = std::max(worst, residual);
  }
  doc_.parameter(name_of(precision) + "Residual", worst);
}

}  // namespace assay::gemm
