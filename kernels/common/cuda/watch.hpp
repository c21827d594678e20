// Watches the GPUs while another program uses them: no context of our own is on them meanwhile.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/counters.hpp"
#include "common/cuda/device.hpp"
#include "common/document.hpp"

namespace assay::cuda {

class Watch {
 public:
  // Gives up the contexts that opening the GPUs made.
  explicit Watch(const std::vector<Gpu>& gpus);

  // To be called a few times a second.
  void look();

  // The median of each GPU's readings over the last so many seconds; absent where one is not read.
  std::vector<std::optional<double>> watts(double seconds) const;
  std::vector<std::optional<double>> clocks_mhz(double seconds) const;

  // Counters that changed, and check `undisturbed`: whoever kept a GPU busy before or after.
  void report(Document& doc);

 private:
  struct Sample {
    double at;
    Reading reading;
  };
  double now() const;
  void look_for_others(const std::string& when);
  std::vector<std::optional<double>> medians(double seconds, std::optional<unsigned> Reading::*field, double scale) const;

  std::vector<Gpu> gpus_;
  std::chrono::steady_clock::time_point start_;
  std::vector<Counters> before_;
  std::vector<std::vector<Sample>> samples_;
  std::string others_;
};

}  // namespace assay::cuda
