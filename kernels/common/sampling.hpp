// When to stop sampling, decided by host code that is fed with plain doubles, so that it is tested without any device.
//
//   StoppingRule rule{5, 100, 0.01, 2.0};
//   while (rule.wants_more()) { const auto [rate, seconds] = measure(); rule.add(rate, seconds); }
//   measurement.add("gpu0", rule.summary());
#pragma once

#include <cstddef>
#include <vector>

#include "common/stats.hpp"

namespace assay {

// The warm-up is measured, not guessed: leading samples are dropped until `window` successive samples lie within
// `tolerance` (relative) of their median.
struct WarmUp {
  std::size_t window = 3;
  double tolerance = 0.02;
};

// Index of the first sample of the steady part; samples.size() when the level has not become steady yet.
std::size_t steady_from(const std::vector<double>& samples, const WarmUp& warm_up);

class StoppingRule {
 public:
  // Stops when, of the steady samples, there are at least min_samples and the 95 % interval of their median is no wider than
  // relative_ci_width of the median; or at max_samples; or when another sample of the usual cost would overrun
  // budget_seconds. min_samples (at least 1) are always taken, whatever they cost.
  StoppingRule(std::size_t min_samples, std::size_t max_samples, double relative_ci_width, double budget_seconds,
               WarmUp warm_up = {});

  // Throws Stopped once the program was told to end.
  bool wants_more() const;

  // The same the other way round, without a look at signals: for processes that must all stop at the same sample.
  bool has_enough() const;

  // seconds: what this sample cost, its preparation included.
  void add(double sample, double seconds);

  // The level became steady. If it never did, steady_samples() are all samples and the document should say so.
  bool is_steady() const { return steady_from_ < samples_.size(); }
  std::size_t dropped() const { return is_steady() ? steady_from_ : 0; }
  double spent_seconds() const { return spent_seconds_; }
  const std::vector<double>& all_samples() const { return samples_; }
  std::vector<double> steady_samples() const;
  Summary summary() const { return summarize(steady_samples()); }

  // Of what `figure` makes of each sample: a rate of a time, for example.
  template <typename Figure>
  Summary summary_of(Figure figure) const {
    auto figures = steady_samples();
    for (double& each : figures) each = figure(each);
    return summarize(figures);
  }

 private:
  bool is_precise() const;

  std::size_t min_samples_;
  std::size_t max_samples_;
  double relative_ci_width_;
  double budget_seconds_;
  WarmUp warm_up_;
  std::vector<double> samples_;
  std::vector<double> costs_;
  std::size_t steady_from_ = 0;
  double spent_seconds_ = 0;
};

}  // namespace assay
