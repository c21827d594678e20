#include "common/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "common/stop.hpp"

namespace assay {

std::size_t steady_from(const std::vector<double>& samples, const WarmUp& warm_up) {
  const std::size_t window = std::max<std::size_t>(warm_up.window, 1);
  for (std::size_t first = 0; first + window <= samples.size(); ++first) {
    const auto begin = samples.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<double> level(begin, begin + static_cast<std::ptrdiff_t>(window));
    const double middle = median(level);
    const bool steady = std::all_of(level.begin(), level.end(), [&](double sample) {
      return std::abs(sample - middle) <= warm_up.tolerance * std::abs(middle);
    });
    if (steady) return first;
  }
  return samples.size();
}

StoppingRule::StoppingRule(std::size_t min_samples, std::size_t max_samples, double relative_ci_width,
                           double budget_seconds, WarmUp warm_up)
    : min_samples_(std::max<std::size_t>(min_samples, 1)),
      max_samples_(std::max(max_samples, min_samples_)),
      relative_ci_width_(relative_ci_width),
      budget_seconds_(budget_seconds),
      warm_up_(warm_up) {}

bool StoppingRule::wants_more() const {
  throw_if_stopped();
  return !has_enough();
}

bool StoppingRule::has_enough() const {
  if (samples_.size() < min_samples_) return false;
  if (samples_.size() - dropped() >= max_samples_) return true;
  return spent_seconds_ + median(costs_) > budget_seconds_ || is_precise();
}

void StoppingRule::add(double sample, double seconds) {
  const bool was_steady = is_steady();
  samples_.push_back(sample);
  costs_.push_back(seconds);
  spent_seconds_ += seconds;
  if (!was_steady) steady_from_ = steady_from(samples_, warm_up_);
}

std::vector<double> StoppingRule::steady_samples() const {
  return {samples_.begin() + static_cast<std::ptrdiff_t>(dropped()), samples_.end()};
}

bool StoppingRule::is_precise() const {
  if (!is_steady()) return false;
  const auto steady = steady_samples();
  if (steady.size() < min_samples_) return false;
  constexpr double kConfidence = 0.95;
  const Interval interval = median_interval(steady, kConfidence);
  return interval.confidence >= kConfidence &&
         interval.high - interval.low <= relative_ci_width_ * std::abs(median(steady));
}

}  // namespace assay
