#include "gpustream/bandwidth.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "gpustream/l2.hpp"

namespace assay::gpustream {
namespace {

constexpr std::size_t kMebibyte = 1 << 20;

}  // namespace

// Arrays that had to shrink to less than four times the L2 cache would show its rates.
std::size_t fit_arrays(std::size_t wanted, const std::vector<cuda::Gpu>& gpus, Document& doc) {
  wanted = wanted / kMebibyte * kMebibyte;
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

Bandwidth::Bandwidth(const Plan& plan, const std::vector<cuda::Gpu>& gpus, std::size_t array_bytes, Document& doc, cuda::Integrity& integrity)
    : plan_(plan), gpus_(gpus), doc_(doc), integrity_(integrity) {
  for (const auto& gpu : gpus) {
    arrays_.emplace_back(gpu.index, gpu.multiprocessors, array_bytes);
    streams_.emplace_back(gpu.index);
  }
}

void Bandwidth::run(Precision precision, Kernel first, Kernel last) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) arrays_[i].initialize(precision, streams_[i]);
  for (const Kernel kernel : kKernels) {
    if (kernel > last) break;
    for (std::size_t i = 0; i < gpus_.size(); ++i) arrays_[i].poison_output(kernel, streams_[i]);
    if (kernel >= first) {
      measure_all(kernel, precision);
      continue;
    }
    const Shape any = candidate_shapes(kernel).front();
    for (std::size_t i = 0; i < gpus_.size(); ++i) arrays_[i].queue(kernel, precision, any, streams_[i]);
  }
}

void Bandwidth::measure_all(Kernel kernel, Precision precision) {
  const Shape shape = fastest_shape(kernel, precision);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < gpus_.size(); ++i) all.push_back(i);
  measure(kernel, precision, shape, all, "");
  if (plan_.alone && gpus_.size() > 1) {
    for (const std::size_t i : all) measure(kernel, precision, shape, {i}, "Alone");
  }
  for (const std::size_t i : all) {
    const auto verdict = arrays_[i].verify(kernel, precision, plan_.inject_bitflip && kernel == Kernel::Triad, streams_[i]);
    integrity_.expect(metric_name(kernel, precision) + " " + gpus_[i].name(), verdict.ok, verdict.what);
  }
}

cuda::Flow Bandwidth::flow(std::size_t gpu, Kernel kernel, Precision precision, const Shape& shape) {
  return {&streams_[gpu], [=] { arrays_[gpu].queue(kernel, precision, shape, streams_[gpu]); }};
}

// The fastest on all GPUs together. The first launch of every shape is not timed: it may load code.
template <typename FlowsWith>
Shape Bandwidth::fastest(const std::vector<Shape>& shapes, FlowsWith flows_with) {
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

Shape Bandwidth::fastest_shape(Kernel kernel, Precision precision) {
  return fastest(candidate_shapes(kernel), [&](const Shape& shape) {
    std::vector<cuda::Flow> flows;
    for (std::size_t i = 0; i < gpus_.size(); ++i) flows.push_back(flow(i, kernel, precision, shape));
    return flows;
  });
}

void Bandwidth::measure(Kernel kernel, Precision precision, const Shape& shape, const std::vector<std::size_t>& which,
             const std::string& suffix) {
  constexpr int kLaunches = 4;  // per sample
  std::vector<cuda::Flow> flows;
  for (const std::size_t i : which) flows.push_back(flow(i, kernel, precision, shape));
  const double gigabytes = kLaunches * static_cast<double>(bytes_moved(kernel, arrays_[0].bytes())) * 1e-9;
  const StoppingRule rule{8, 60, 0.001, plan_.budget_seconds};
  const auto rules = cuda::sample_together(which.size(), rule, [&] {
    std::vector<double> rates;
    for (const double seconds : cuda::time_together(latch_, flows, {kLaunches, 1})) rates.push_back(gigabytes / seconds);
    return rates;
  });
  auto& measurement = doc_.measurement(metric_name(kernel, precision) + suffix, "GB/s", Better::Higher);
  for (std::size_t k = 0; k < which.size(); ++k) {
    measurement.add(gpus_[which[k]].name(), plan_.best
                                                ? assay::summarize_best(rules[k].steady_samples(), Better::Higher)
                                                : rules[k].summary());
  }
}

void Bandwidth::run_l2() {
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
  const auto summaries = cuda::collect_together(gpus_.size(), {8, 60, 0.001, plan_.budget_seconds}, [&] {
    std::vector<double> rates;
    for (const double seconds : cuda::time_together(latch_, flows, {1, 1})) rates.push_back(gigabytes / seconds);
    return rates;
  });
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    doc_.measurement("l2Read", "GB/s", Better::Higher).add(gpus_[i].name(), summaries[i]);
    integrity_.expect("l2Read " + gpus_[i].name(), readers[i].verify(plan_.inject_bitflip, streams_[i]), "its sum is wrong");
  }
}

}  // namespace assay::gpustream
