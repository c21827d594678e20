// Which of cuBLAS's algorithms a measurement uses, if it may use another than cuBLAS's own choice, and what its windows come to. Host code
// only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "common/stats.hpp"

namespace assay::gemm {

// seconds[gpu][candidate] of one product; candidate 0 is cuBLAS's own choice. The first candidate that is within 1 % of the fastest,
// over all GPUs: so repetitions of the program agree, and a tie goes to the figure that everybody knows.
inline std::size_t fastest(const std::vector<std::vector<double>>& seconds) {
  constexpr double kAlike = 0.01;
  std::vector<double> logs(seconds.front().size(), 0);
  for (const auto& of_gpu : seconds) {
    for (std::size_t i = 0; i < logs.size(); ++i) logs[i] += std::log(of_gpu[i]) / static_cast<double>(seconds.size());
  }
  const double best = *std::min_element(logs.begin(), logs.end());
  std::size_t first = 0;
  while (logs[first] > best + kAlike) ++first;
  return first;
}

// The median over windows of equal work. A power controller may hold one window of a healthy GPU down by 15 %; the mean would pass that on, and
// stands beside the median in the document.
inline Summary sustained_rate(std::vector<double> window_seconds, double work_per_window) {
  for (double& each : window_seconds) each = work_per_window / each;
  return summarize(window_seconds);
}

// "cuBLAS", or one entry per GPU where they differ.
inline std::string join_algorithms(const std::vector<std::string>& names) {
  if (std::all_of(names.begin(), names.end(), [&](const std::string& name) { return name == names.front(); })) return names.front();
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace assay::gemm
