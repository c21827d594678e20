#include "common/cuda/telemetry.hpp"

#include <unistd.h>

#include <algorithm>

#include "common/cuda/nvml.hpp"
#include "common/cuda/on_all.hpp"

namespace assay::cuda {
namespace {

constexpr std::chrono::milliseconds kSamplingPeriod{50};
constexpr int kPeriodsPerLook = 5;              // at the neighbours; a look takes about 0.7 ms per GPU
constexpr double kLeastSecondsBetweenLooks = 0.5;  // where there is no sampling

Telemetry* at_work = nullptr;

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

void raise(std::optional<unsigned>& most, const std::optional<unsigned>& value) {
  if (value) most = std::max(most.value_or(0), *value);
}

void parameter_if_known(Document& doc, const std::string& name, const std::string& text) {
  if (text.find_first_not_of("-,") != std::string::npos) doc.parameter(name, text);
}

void parameter_if_known(Document& doc, const std::string& name, const std::vector<std::optional<double>>& values) {
  for (const auto& value : values) {
    if (value) return doc.parameter(name, join_readings(values));
  }
}

}  // namespace

Telemetry::Telemetry(const std::vector<Gpu>& gpus, Sampling sampling, bool shares_memory)
    : gpus_(gpus), start_(std::chrono::steady_clock::now()), samples_(gpus.size()) {
  for (const auto& gpu : gpus_) neighbours_.emplace_back(gpu.name(), static_cast<unsigned>(getpid()), gpu.at_start, shares_memory);
  look();
  watch_at_rest();
  for (const auto& gpu : gpus_) before_.push_back(Nvml::instance().counters(gpu.uuid));
  start_ = std::chrono::steady_clock::now();
  sample(sampling);
}

void Telemetry::sample(Sampling sampling) {
  stop();
  if (!Nvml::instance().is_available()) return;
  if (sampling == Sampling::On) {
    stopping_ = false;
    sampler_ = std::thread([this] { sample_until_stopped(); });
  } else {
    at_work = this;
  }
}

Telemetry::~Telemetry() { stop(); }

void Telemetry::stop() {
  if (at_work == this) at_work = nullptr;
  stopping_ = true;
  if (sampler_.joinable()) sampler_.join();
}

double Telemetry::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Telemetry::read() {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const Reading reading = Nvml::instance().reading(gpus_[i].uuid);
    const std::lock_guard<std::mutex> lock(mutex_);
    samples_[i].push_back({now(), reading});
  }
}

void Telemetry::look() {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (!gpus_[i].is_mig) neighbours_[i].look(Nvml::instance().occupancy(gpus_[i].uuid));
  }
}

void Telemetry::watch_at_rest() {
  std::vector<std::size_t> shared;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (neighbours_[i].is_shared()) shared.push_back(i);
  }
  on_all(shared.size(), [&](std::size_t k) {
    const std::size_t i = shared[k];
    if (const auto busy = Nvml::instance().busy_percent_at_rest(gpus_[i].uuid)) neighbours_[i].rested(*busy);
  });
}

void Telemetry::sample_until_stopped() {
  for (int period = 1; !stopping_; ++period) {
    read();
    if (period % kPeriodsPerLook == 0) look();
    std::this_thread::sleep_for(kSamplingPeriod);
  }
}

void Telemetry::look_between_samples() {
  if (now() - last_look_ < kLeastSecondsBetweenLooks) return;
  read();
  look();
  last_look_ = now();
}

void look_between_samples() {
  if (at_work != nullptr) at_work->look_between_samples();
}

std::vector<Averages> Telemetry::averages(double begin, double end) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Averages> result;
  for (const auto& samples : samples_) {
    Mean sm, memory, power, celsius, memory_celsius;
    for (const auto& [at, reading] : samples) {
      if (at < begin || at > end) continue;
      sm.add(reading.sm_clock_mhz);
      memory.add(reading.memory_clock_mhz);
      power.add(reading.power_milliwatts);
      celsius.add(reading.celsius);
      memory_celsius.add(reading.memory_celsius);
    }
    result.push_back({sm.value(), memory.value(), power.value(1e-3), celsius.value(), memory_celsius.value()});
  }
  return result;
}

std::string Telemetry::text_of(const std::function<std::string(std::size_t)>& of_gpu) const {
  std::string text;
  for (std::size_t i = 0; i < gpus_.size(); ++i) text += (i > 0 ? "," : "") + of_gpu(i);
  return text;
}

void Telemetry::report_links_and_limits(const std::vector<CounterChange>& changes, Document& doc) {
  const auto most = [&](std::optional<unsigned> Reading::*field) {
    return text_of([&](std::size_t i) {
      std::optional<unsigned> value;
      for (const auto& sample : samples_[i]) raise(value, sample.reading.*field);
      return value ? std::to_string(*value) : "-";
    });
  };
  parameter_if_known(doc, "pcieGeneration", most(&Reading::pcie_generation));
  parameter_if_known(doc, "pcieWidth", most(&Reading::pcie_width));
  parameter_if_known(doc, "clockLimits", text_of([&](std::size_t i) {
    std::optional<std::uint64_t> bits;
    for (const auto& sample : samples_[i]) {
      if (sample.reading.clock_limits) bits = bits.value_or(0) | *sample.reading.clock_limits;
    }
    return bits ? clock_limit_names(*bits) : "-";
  }));
  parameter_if_known(doc, "ecc", text_of([&](std::size_t i) {
    const auto& enabled = changes[i].after.ecc_enabled;
    return std::string(!enabled ? "-" : *enabled != 0 ? "on" : "off");
  }));
  parameter_if_known(doc, "remappedRows", text_of([&](std::size_t i) {
    const Counters& now = changes[i].after;
    if (!now.rows_remapped_corrected && !now.rows_remapped_uncorrected) return std::string("-");
    return std::to_string(now.rows_remapped_corrected.value_or(0) + now.rows_remapped_uncorrected.value_or(0));
  }));
}

void Telemetry::report(Document& doc) {
  const double seconds = now();
  const bool was_sampling = sampler_.joinable();
  stop();
  if (!was_sampling) read();
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
  const auto means = averages(0, now());
  parameter_if_known(doc, "smClockMHz", column(means, &Averages::sm_clock_mhz));
  parameter_if_known(doc, "memoryClockMHz", column(means, &Averages::memory_clock_mhz));
  parameter_if_known(doc, "temperatureC", column(means, &Averages::celsius));
  parameter_if_known(doc, "memoryTemperatureC", column(means, &Averages::memory_celsius));
  parameter_if_known(doc, "powerW", watts);
  report_links_and_limits(changes, doc);
  report_changes(changes, doc);
  look();
  watch_at_rest();
  report_neighbours(neighbours_, doc);
}

}  // namespace assay::cuda
