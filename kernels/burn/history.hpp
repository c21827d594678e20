// What a long run is reduced to: the sustained rate, the spread between GPUs, how fast a temperature still rises, and a few
// points over time. Host code only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "common/stats.hpp"

namespace assay::burn {

// A stretch of the run on one GPU, times in seconds since its start.
struct Window {
  double begin;
  double end;
  double rate;
};

// Median of the windows that begin in the second half of the run: by then clocks have settled to what power and temperature
// allow. All windows when there are none.
inline Summary sustained_rate(const std::vector<Window>& windows, double run_seconds) {
  std::vector<double> late;
  std::vector<double> all;
  for (const Window& window : windows) {
    all.push_back(window.rate);
    if (window.begin >= run_seconds / 2) late.push_back(window.rate);
  }
  return summarize(late.empty() ? all : late);
}

// (largest - smallest) / median. Absent for fewer than two.
inline std::optional<double> relative_range(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return (*high - *low) / median(values);
}

// "75" or "0.125": a time in the middle of equal parts of a run, cut to as few decimals as tell the parts apart.
inline std::string time_text(double at, double length_of_part) {
  int decimals = 0;
  double unit = 1;
  for (; unit > length_of_part && decimals < 6; unit /= 10) ++decimals;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::floor(at / unit) * unit);
  return text;
}

struct Point {
  double at;
  double value;
};

// Least-squares slope. Absent for fewer than two points or when all are at the same time.
inline std::optional<double> slope(const std::vector<Point>& points) {
  if (points.size() < 2) return std::nullopt;
  double mean_at = 0;
  double mean_value = 0;
  for (const Point& point : points) {
    mean_at += point.at / static_cast<double>(points.size());
    mean_value += point.value / static_cast<double>(points.size());
  }
  double products = 0;
  double squares = 0;
  for (const Point& point : points) {
    products += (point.at - mean_at) * (point.value - mean_value);
    squares += (point.at - mean_at) * (point.at - mean_at);
  }
  if (squares == 0) return std::nullopt;
  return products / squares;
}

// Mean rate of the windows whose middle lies in [begin, end). Absent when there are none.
inline std::optional<double> mean_rate(const std::vector<Window>& windows, double begin, double end) {
  double sum = 0;
  std::size_t count = 0;
  for (const Window& window : windows) {
    const double middle = (window.begin + window.end) / 2;
    if (middle < begin || middle >= end) continue;
    sum += window.rate;
    ++count;
  }
  return count > 0 ? std::optional<double>(sum / static_cast<double>(count)) : std::nullopt;
}

}  // namespace assay::burn
