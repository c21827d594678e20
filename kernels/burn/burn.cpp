// Loads all GPUs with matrix products for a given time and finds silent data corruption: every product is compared with the
// first one to the last bit, and with those of the other GPUs. Temperature, power and clocks are recorded over time.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "burn/memory.hpp"
#include "burn/soak.hpp"
#include "common/args.hpp"
#include "common/cuda/on_all.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"

namespace {

using namespace assay;
using cuda::Averages;
using Soaks = std::vector<std::unique_ptr<burn::Soak>>;

constexpr std::int64_t kOrderMultiple = 64;  // matrix units and comparison work on whole vectors

constexpr double kShortestForRise = 60;      // seconds of a run before which a slope of the temperature says nothing

struct Options {
  burn::Load load;
  std::string precision = "bf16";
  std::int64_t n = 8192;
  std::int64_t gpus = 0;
  std::int64_t points = 4;
};

// Equal operands on equal chips give equal products.
void compare_gpus(const std::vector<cuda::Gpu>& gpus, const Soaks& soaks, cuda::Integrity& integrity) {
  for (std::size_t i = 1; i < gpus.size(); ++i) {
    if (gpus[i].product != gpus[0].product || gpus[i].multiprocessors != gpus[0].multiprocessors) continue;
    integrity.expect(gpus[i].name(), soaks[i]->reference_checksum() == soaks[0]->reference_checksum(),
                     "its product differs from that of " + gpus[0].name());
  }
}

struct Quantity {
  const char* name;
  const char* unit;
  Better better;
  std::optional<double> Averages::*field;
};
constexpr Quantity kQuantities[] = {{"temperature", "C", Better::Lower, &Averages::celsius},
                                    {"power", "W", Better::Lower, &Averages::watts},
                                    {"smClock", "MHz", Better::Higher, &Averages::sm_clock_mhz}};

// Where the run ended up: means over its second half, and how fast the temperature still rose there.
void report_settled(const std::vector<cuda::Gpu>& gpus, const cuda::Telemetry& telemetry, double begin, double end,
                    Document& doc) {
  const auto means = telemetry.averages((begin + end) / 2, end);
  for (const Quantity& quantity : kQuantities) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const auto mean = means[i].*quantity.field;
      if (mean) doc.measurement(quantity.name, quantity.unit, quantity.better).add(gpus[i].name(), {*mean, 1, 0});
    }
  }
  if (end - begin < kShortestForRise) return;
  constexpr int kSteps = 8;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::vector<burn::Point> points;
    for (int step = 0; step < kSteps; ++step) {
      const double length = (end - begin) / 2 / kSteps;
      const double from = (begin + end) / 2 + step * length;
      const auto mean = telemetry.averages(from, from + length)[i].celsius;
      if (mean) points.push_back({from + length / 2, *mean});
    }
    const auto rise = burn::slope(points);
    if (rise) doc.measurement("temperatureRise", "C/min", Better::Lower).add(gpus[i].name(), {*rise * 60, points.size(), 0});
  }
}

// `points` means over equal parts of the run, as parts "gpu0@5s", the time being the middle of each.
void report_over_time(const std::vector<cuda::Gpu>& gpus, const Soaks& soaks, const cuda::Telemetry& telemetry, double begin,
                      double end, std::int64_t points, Document& doc) {
  for (std::int64_t point = 0; point < points; ++point) {
    const double length = (end - begin) / static_cast<double>(points);
    const double from = static_cast<double>(point) * length;
    const auto means = telemetry.averages(begin + from, begin + from + length);
    const std::string when = "@" + burn::time_text(from + length / 2, length) + "s";
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const auto rate = burn::mean_rate(soaks[i]->windows(), from, from + length);
      if (rate) doc.measurement("rateOverTime", "TFLOP/s", Better::Higher).add(gpus[i].name() + when, {*rate, 1, 0});
      for (const Quantity& quantity : kQuantities) {
        const auto mean = means[i].*quantity.field;
        if (!mean) continue;
        doc.measurement(std::string(quantity.name) + "OverTime", quantity.unit, quantity.better)
            .add(gpus[i].name() + when, {*mean, 1, 0});
      }
    }
  }
}

void measure(const Options& options, Document& doc) {
  gemm::forbid_emulation();
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  burn::Load load = options.load;
  load.precision = gemm::precision_of(options.precision);
  load.n = static_cast<std::size_t>((options.n + kOrderMultiple - 1) / kOrderMultiple * kOrderMultiple);
  for (const auto& gpu : gpus) {
    if (!gemm::is_supported(load.precision, gpu.major, gpu.minor)) {
      throw CannotRun(gpu.name() + " has no " + options.precision + " matrix units: choose another --precision");
    }
  }
  doc.parameter("precision", options.precision);
  doc.parameter("n", load.n);
  doc.parameter("seconds", load.seconds);
  doc.parameter("cublas", gemm::library_version());

  // What is tested follows from what is free. Whoever holds the rest must not make the run a pass.
  cuda::fit_memory(gpus, burn::pattern_size(gpus.front().memory_bytes, load.memory_fraction, load.n),
                   burn::pattern_share(load.memory_fraction, load.n), "patterns", doc);

  Soaks soaks(gpus.size());
  cuda::on_all(gpus.size(), [&](std::size_t i) {
    burn::Load own = load;
    own.inject_bitflip = load.inject_bitflip && i + 1 == gpus.size();
    soaks[i] = std::make_unique<burn::Soak>(gpus[i], own);
  });

  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::On);
  const double begin = telemetry.now();
  cuda::on_all(gpus.size(), [&](std::size_t i) { soaks[i]->run(telemetry, begin); });
  const double end = telemetry.now();
  // Who was stopped before the first window has nothing to tell.
  if (std::any_of(soaks.begin(), soaks.end(), [](const auto& soak) { return soak->windows().empty(); })) throw_if_stopped();

  std::vector<double> rates;
  std::uint64_t products = 0;
  cuda::Integrity integrity;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const Summary rate = burn::sustained_rate(soaks[i]->windows(), load.seconds);
    doc.measurement("burn", "TFLOP/s", Better::Higher).add(gpus[i].name(), rate);
    rates.push_back(rate.value);
    products += soaks[i]->products();
    soaks[i]->verify(integrity);
  }
  const auto range = burn::relative_range(rates);
  if (range) doc.measurement("throughputSpread", "1", Better::Lower).add("node", {*range, gpus.size(), 0});
  compare_gpus(gpus, soaks, integrity);
  doc.parameter("productsCompared", products);
  doc.parameter("patternBytes", soaks.front()->pattern_bytes());
  doc.parameter("memorySweeps", soaks.front()->memory_sweeps());
  report_settled(gpus, telemetry, begin, end, doc);
  report_over_time(gpus, soaks, telemetry, begin, end, options.points, doc);
  telemetry.report(doc);
  integrity.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("burn", "Sustained matrix load with bit-exact comparison of all results");
  args.number("--seconds", options.load.seconds, 0.5, 24 * 3600, "how long the load lasts");
  args.choice("--precision", options.precision, {"fp64", "fp32", "tf32", "bf16", "fp16"}, "precision of the products");
  args.integer("--n", options.n, 512, 65536, "order of the matrices");
  args.number("--memory-fraction", options.load.memory_fraction, 0, 0.95, "share of the free memory to hold a pattern");
  args.integer("--points", options.points, 0, 1000, "points over time in the document, per GPU and quantity");
  args.integer("--gpus", options.gpus, 0, 64, "use the first so many GPUs (0: all)");
  args.flag("--inject-bitflip", options.load.inject_bitflip, "test: damage one product, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("burn", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
