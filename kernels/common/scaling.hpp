// How a rate grows with the number of GPUs that work on one problem together. Host code only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/document.hpp"

namespace assay {

// 1, 2, 4 ... up to `gpus`, which is always the last.
inline std::vector<int> team_sizes(int gpus) {
  std::vector<int> sizes;
  for (int size = 1; size < gpus; size *= 2) sizes.push_back(size);
  if (gpus > 0) sizes.push_back(gpus);
  return sizes;
}

// 1 when `gpus` GPUs together reach `gpus` times the rate of one.
inline double scaling_efficiency(double rate, int gpus, double rate_of_one) { return rate / (gpus * rate_of_one); }

inline std::string team_name(int gpus) { return std::to_string(gpus) + "gpu"; }

// Where part `index` of `parts` begins when `count` things are shared out as evenly as whole things allow.
inline std::size_t share_begin(std::size_t count, std::size_t parts, std::size_t index) { return count * index / parts; }

// Collects a rate per team size, and writes it with the efficiency against the first, which must be of one GPU.
class Scaling {
 public:
  void add(int gpus, const Summary& rate) { rates_.push_back({gpus, rate}); }

  // efficiency_name stays out of the document on a machine with one GPU.
  void report(Document& doc, const std::string& rate_name, const std::string& unit,
              const std::string& efficiency_name = "scalingEfficiency") const {
    for (const auto& [gpus, rate] : rates_) doc.measurement(rate_name, unit, Better::Higher).add(team_name(gpus), rate);
    for (const auto& [gpus, rate] : rates_) {
      if (gpus == 1) continue;
      const double efficiency = scaling_efficiency(rate.value, gpus, rates_.front().second.value);
      doc.measurement(efficiency_name, "1", Better::Higher).add(team_name(gpus), {efficiency, rate.samples, rate.spread});
    }
  }

 private:
  std::vector<std::pair<int, Summary>> rates_;
};

}  // namespace assay
