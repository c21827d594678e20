#include "common/cuda/telemetry.hpp"

#include "common/cuda/nvml.hpp"

namespace assay::cuda {
namespace {

constexpr std::chrono::milliseconds kSamplingPeriod{50};

struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(const std::optional<unsigned>& value) {
    if (!value) return;
    sum += *value;
    ++count;
  }
  std::optional<double> value(double scale = 1) const {
    return count > 0 ? std::optional<double>(sum / static_cast<double>(count) * scale) : std::nullopt;
  }
};

std::vector<std::optional<double>> column(const std::vector<Averages>& rows, std::optional<double> Averages::*field) {
  std::vector<std::optional<double>> values;
  for (const auto& row : rows) values.push_back(row.*field);
  return values;
}

void parameter_if_known(Document& doc, const std::string& name, const std::vector<std::optional<double>>& values) {
  for (const auto& value : values) {
    if (value) return doc.parameter(name, join_readings(values));
  }
}

}  // namespace

Telemetry::Telemetry(const std::vector<Gpu>& gpus, Sampling sampling)
    : gpus_(gpus), start_(std::chrono::steady_clock::now()), samples_(gpus.size()) {
  for (const auto& gpu : gpus_) before_.push_back(Nvml::instance().counters(gpu.uuid));
  start_ = std::chrono::steady_clock::now();
  if (sampling == Sampling::On && Nvml::instance().is_available()) {
    sampler_ = std::thread([this] { sample_until_stopped(); });
  }
}

Telemetry::~Telemetry() { stop(); }

void Telemetry::stop() {
  stopping_ = true;
  if (sampler_.joinable()) sampler_.join();
}

double Telemetry::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Telemetry::sample_until_stopped() {
  while (!stopping_) {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const Reading reading = Nvml::instance().reading(gpus_[i].uuid);
      const std::lock_guard<std::mutex> lock(mutex_);
      samples_[i].push_back({now(), reading});
    }
    std::this_thread::sleep_for(kSamplingPeriod);
  }
}

std::vector<Averages> Telemetry::averages(double begin, double end) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Averages> result;
  for (const auto& samples : samples_) {
    Mean sm, memory, power, celsius;
    for (const auto& [at, reading] : samples) {
      if (at < begin || at > end) continue;
      sm.add(reading.sm_clock_mhz);
      memory.add(reading.memory_clock_mhz);
      power.add(reading.power_milliwatts);
      celsius.add(reading.celsius);
    }
    result.push_back({sm.value(), memory.value(), power.value(1e-3), celsius.value()});
  }
  return result;
}

void Telemetry::report(Document& doc) {
  const double seconds = now();
  const bool was_sampling = sampler_.joinable();
  stop();
  if (!was_sampling) {
    for (std::size_t i = 0; i < gpus_.size(); ++i) samples_[i].push_back({seconds, Nvml::instance().reading(gpus_[i].uuid)});
  }
  std::vector<CounterChange> changes;
  std::vector<std::optional<double>> watts;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    changes.push_back({gpus_[i].name(), before_[i], Nvml::instance().counters(gpus_[i].uuid), seconds});
    const auto& before = before_[i].energy_millijoules;
    const auto& after = changes.back().after.energy_millijoules;
    watts.push_back(before && after && *after > *before
                        ? std::optional<double>(static_cast<double>(*after - *before) * 1e-3 / seconds)
                        : std::nullopt);
  }
  const auto means = averages(0, seconds);
  parameter_if_known(doc, "smClockMHz", column(means, &Averages::sm_clock_mhz));
  parameter_if_known(doc, "memoryClockMHz", column(means, &Averages::memory_clock_mhz));
  parameter_if_known(doc, "temperatureC", column(means, &Averages::celsius));
  parameter_if_known(doc, "powerW", watts);
  report_changes(changes, doc);
}

}  // namespace assay::cuda
