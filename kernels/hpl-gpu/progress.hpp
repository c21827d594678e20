// How far a factorization is, from the columns that are done: for people who wait. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "hpl-gpu/report.hpp"

namespace assay::hplgpu {

class Meter {
 public:
  explicit Meter(std::int64_t order) : order_(order) {}

  // Columns that are done after so many seconds. A line for people, at most one a second.
  std::optional<std::string> at(std::int64_t columns, double seconds) {
    const double rest = 1 - static_cast<double>(columns) / static_cast<double>(order_);
    done_ = 1 - rest * rest * rest;
    if (seconds - told_ < 1) return std::nullopt;
    const double rate = (done_ - told_done_) * operations_of(order_) / (seconds - told_);
    told_ = seconds;
    told_done_ = done_;
    char line[96];
    std::snprintf(line, sizeof line, "%.0f %%, %.1f TFLOP/s, %.0f s left", 100 * done_, rate * 1e-12,
                  done_ > 0 ? seconds / done_ * (1 - done_) : 0.0);
    return line;
  }

  double done() const { return done_; }  // share of the operations

 private:
  std::int64_t order_;
  double done_ = 0;
  double told_ = 0;
  double told_done_ = 0;
};

}  // namespace assay::hplgpu
