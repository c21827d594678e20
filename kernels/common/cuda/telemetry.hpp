// Watches the GPUs around a timed region: counters before and after, and, where asked for, clocks, power and temperature
// sampled while it runs.
//
//   Telemetry telemetry(gpus, Telemetry::Sampling::On);
//   const double begin = telemetry.now();  ... work ...
//   telemetry.averages(begin, telemetry.now());
//   telemetry.report(doc);
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/cuda/counters.hpp"
#include "common/cuda/device.hpp"
#include "common/document.hpp"

namespace assay::cuda {

// Means over an interval, absent where nothing was read.
struct Averages {
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> watts;
  std::optional<double> celsius;
};

class Telemetry {
 public:
  // Sampling reads the driver a few times a second per GPU from a thread of its own: Off where latency is measured.
  enum class Sampling { Off, On };

  Telemetry(const std::vector<Gpu>& gpus, Sampling sampling);
  ~Telemetry();
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;

  // Seconds since the telemetry began.
  double now() const;

  // One entry per GPU, over what was sampled in [begin, end].
  std::vector<Averages> averages(double begin, double end) const;

  // Ends the watch. Checks and notes as report_changes() says; parameters smClockMHz, memoryClockMHz, temperatureC and
  // powerW (one value per GPU: means where sampled, else one look at the end; power from the energy counter).
  void report(Document& doc);

 private:
  struct Sample {
    double at;
    Reading reading;
  };
  void sample_until_stopped();
  void stop();

  std::vector<Gpu> gpus_;
  std::chrono::steady_clock::time_point start_;
  std::vector<Counters> before_;
  mutable std::mutex mutex_;
  std::vector<std::vector<Sample>> samples_;
  std::atomic<bool> stopping_{false};
  std::thread sampler_;
};

}  // namespace assay::cuda
