#include "common/cuda/watch.hpp"

#include <unistd.h>

#include "common/cuda/error.hpp"
#include "common/cuda/neighbours.hpp"
#include "common/cuda/nvml.hpp"
#include "common/stats.hpp"

namespace assay::cuda {

Watch::Watch(const std::vector<Gpu>& gpus) : gpus_(gpus), start_(std::chrono::steady_clock::now()), samples_(gpus.size()) {
  for (const auto& gpu : gpus_) {
    check(cudaSetDevice(gpu.index), "selecting " + gpu.name());
    check(cudaDeviceReset(), "leaving " + gpu.name());
  }
  look_for_others("before");
  for (const auto& gpu : gpus_) before_.push_back(Nvml::instance().counters(gpu.uuid));
}

double Watch::now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

void Watch::look() {
  for (std::size_t i = 0; i < gpus_.size(); ++i) samples_[i].push_back({now(), Nvml::instance().reading(gpus_[i].uuid)});
}

std::vector<std::optional<double>> Watch::medians(double seconds, std::optional<unsigned> Reading::*field, double scale) const {
  std::vector<std::optional<double>> all;
  for (const auto& samples : samples_) {
    std::vector<double> values;
    for (const auto& [at, reading] : samples) {
      if (now() - at <= seconds && reading.*field) values.push_back(*(reading.*field) * scale);
    }
    all.push_back(values.empty() ? std::nullopt : std::optional<double>(median(values)));
  }
  return all;
}

std::vector<std::optional<double>> Watch::watts(double seconds) const { return medians(seconds, &Reading::power_milliwatts, 1e-3); }

std::vector<std::optional<double>> Watch::clocks_mhz(double seconds) const { return medians(seconds, &Reading::sm_clock_mhz, 1); }

void Watch::look_for_others(const std::string& when) {
  for (const auto& gpu : gpus_) {
    if (gpu.is_mig) continue;
    const std::string who = holders(Nvml::instance().occupancy(gpu.uuid), static_cast<unsigned>(getpid()));
    if (who.empty()) continue;
    const unsigned busy = Nvml::instance().busy_percent_at_rest(gpu.uuid).value_or(0);
    if (busy == 0) continue;
    others_ += (others_.empty() ? "" : "; ") + gpu.name() + ": " + who + " and kept it busy " + std::to_string(busy) + " % of the time " +
               when + " the simulation";
  }
}

void Watch::report(Document& doc) {
  std::vector<CounterChange> changes;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    changes.push_back({gpus_[i].name(), before_[i], Nvml::instance().counters(gpus_[i].uuid), now()});
  }
  report_changes(changes, doc);
  look_for_others("after");
  if (Nvml::instance().is_available()) doc.check("undisturbed", others_.empty(), others_);
}

}  // namespace assay::cuda
