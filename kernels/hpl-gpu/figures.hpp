// What every rank found, as numbers that travel, and what of it people should know. Pure.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/stats.hpp"
#include "hpl-gpu/phases.hpp"

namespace assay::hplgpu {

struct RankFigures {
  Phases phases;
  double multiplied = 0;   // operations in products
  double differences = 0;  // panels that arrived otherwise than they were sent
  double seconds = 0;
  double watts = 0;  // mean; 0: not known

  double product_rate() const { return phases[Phase::Gemm] > 0 ? multiplied / phases[Phase::Gemm] * 1e-12 : 0; }  // TFLOP/s

  static constexpr std::size_t kNumbers = 12;
  std::vector<double> numbers() const {
    std::vector<double> all(phases.seconds.begin(), phases.seconds.end());
    all.insert(all.end(), {multiplied, differences, seconds, watts});
    return all;
  }
  static RankFigures of(const double* numbers) {
    RankFigures figures;
    std::copy_n(numbers, figures.phases.seconds.size(), figures.phases.seconds.begin());
    const double* rest = numbers + figures.phases.seconds.size();
    figures.multiplied = rest[0];
    figures.differences = rest[1];
    figures.seconds = rest[2];
    figures.watts = rest[3];
    return figures;
  }
};

// A sentence for each rank whose products are 3 % below the median of all, or of two, below the other's.
inline std::vector<std::string> slow_ranks(const std::vector<std::string>& names, const std::vector<double>& rates) {
  constexpr double kSlow = 0.97;
  std::vector<std::string> sentences;
  const double middle = rates.size() == 2 ? std::max(rates[0], rates[1]) : median(rates);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (rates[i] >= kSlow * middle) continue;
    char text[160];
    std::snprintf(text, sizeof text, "%s multiplied at %.1f TFLOP/s, %s at %.1f: the others wait for it", names[i].c_str(), rates[i],
                  rates.size() == 2 ? "the other" : "the median of all", middle);
    sentences.emplace_back(text);
  }
  return sentences;
}

}  // namespace assay::hplgpu
