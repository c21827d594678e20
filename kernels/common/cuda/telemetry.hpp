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
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/cuda/counters.hpp"
#include "common/cuda/device.hpp"
#include "common/cuda/neighbours.hpp"
#include "common/document.hpp"

namespace assay::cuda {

// Means over an interval, absent where nothing was read.
struct Averages {
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> watts;
  std::optional<double> celsius;
  std::optional<double> memory_celsius;
};

class Telemetry {
 public:
  // Sampling reads the driver a few times a second per GPU from a thread of its own: Off where latency is measured. There
  // look_between_samples() takes its place.
  enum class Sampling { Off, On };

  // The GPUs must be at rest: where somebody else is on one, this looks for half a second at what it does. shares_memory: see Neighbours.
  Telemetry(const std::vector<Gpu>& gpus, Sampling sampling, bool shares_memory = false);
  ~Telemetry();
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;

  // Goes on in another way. Not while samples are taken.
  void sample(Sampling sampling);

  // Seconds since the telemetry began.
  double now() const;

  // One entry per GPU, over what was sampled in [begin, end].
  std::vector<Averages> averages(double begin, double end) const;

  // Ends the watch, with the GPUs at rest and all that was measured in the document. Checks and notes as report_changes() and
  // report_neighbours() say. Parameters, one value per GPU: smClockMHz, memoryClockMHz, temperatureC, memoryTemperatureC (means of
  // all readings), powerW (from the energy counter), pcieGeneration, pcieWidth (the most that was seen), clockLimits, ecc,
  // remappedRows.
  void report(Document& doc);

  // A look at the GPUs between two samples, at most every half second.
  void look_between_samples();

 private:
  struct Sample {
    double at;
    Reading reading;
  };
  void sample_until_stopped();
  void stop();
  void read();
  void look();
  void watch_at_rest();
  std::string text_of(const std::function<std::string(std::size_t)>& of_gpu) const;
  void report_links_and_limits(const std::vector<CounterChange>& changes, Document& doc);

  std::vector<Gpu> gpus_;
  std::chrono::steady_clock::time_point start_;
  std::vector<Counters> before_;
  std::vector<Neighbours> neighbours_;
  double last_look_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::vector<Sample>> samples_;
  std::atomic<bool> stopping_{false};
  std::thread sampler_;
};

// Of the telemetry that is at work, if there is one. For sampling loops; not from several threads.
void look_between_samples();

}  // namespace assay::cuda
