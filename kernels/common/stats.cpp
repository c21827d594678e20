#include "common/stats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMadToSigma = 1.4826;  // of a normal distribution

double sorted_percentile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return kNaN;
  const double rank = std::clamp(p, 0.0, 100.0) / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// P(X = k) of a binomial with n trials of 1/2.
double binomial_half(std::size_t n, std::size_t k) {
  const auto dn = static_cast<double>(n);
  const auto dk = static_cast<double>(k);
  return std::exp(std::lgamma(dn + 1) - std::lgamma(dk + 1) - std::lgamma(dn - dk + 1) - dn * std::log(2.0));
}

// Absent where a sample is not finite: a document cannot hold such a number.
std::optional<Distribution> distribution(const std::vector<double>& samples) {
  if (samples.empty()) return std::nullopt;
  double sum = 0;
  for (const double sample : samples) sum += sample;
  if (!std::isfinite(sum)) return std::nullopt;
  return Distribution{percentile(samples, 0), sum / static_cast<double>(samples.size()), percentile(samples, 95), outliers(samples)};
}

}  // namespace

double percentile(std::vector<double> samples, double p) {
  std::sort(samples.begin(), samples.end());
  return sorted_percentile(samples, p);
}

double median(std::vector<double> samples) { return percentile(std::move(samples), 50); }

double mad(const std::vector<double>& samples) {
  const double middle = median(samples);
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (double sample : samples) deviations.push_back(std::abs(sample - middle));
  return median(std::move(deviations));
}

double best(const std::vector<double>& samples, Better better) {
  if (samples.empty()) return kNaN;
  const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
  return better == Better::Higher ? *high : *low;
}

double relative_spread(const std::vector<double>& samples) {
  if (samples.size() < 2) return 0;
  const double deviation = kMadToSigma * mad(samples);
  if (deviation == 0) return 0;
  return deviation / std::abs(median(samples));
}

std::size_t outliers(const std::vector<double>& samples) {
  constexpr double kSpreads = 5;
  constexpr double kLeastSpread = 0.01;
  const double middle = median(samples);
  const double allowed = kSpreads * std::max(relative_spread(samples), kLeastSpread) * std::abs(middle);
  const auto is_outlier = [&](double sample) { return std::abs(sample - middle) > allowed; };
  return static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), is_outlier));
}

Interval median_interval(std::vector<double> samples, double confidence) {
  if (samples.empty()) return {kNaN, kNaN, 0};
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  // [x(r), x(n-1-r)] (ranks from 0) misses the median with probability 2 P(X <= r); take the largest r that is allowed.
  double tail = binomial_half(n, 0);
  std::size_t r = 0;
  while (r + 1 < (n + 1) / 2) {
    const double wider = tail + binomial_half(n, r + 1);
    if (1 - 2 * wider < confidence) break;
    tail = wider;
    ++r;
  }
  return {samples[r], samples[n - 1 - r], std::max(0.0, 1 - 2 * tail)};
}

Summary summarize(const std::vector<double>& samples) {
  return {median(samples), samples.size(), relative_spread(samples), distribution(samples)};
}

Summary summarize_best(const std::vector<double>& samples, Better better) {
  return {best(samples, better), samples.size(), relative_spread(samples), distribution(samples)};
}

Summary rescaled(const Summary& summary, double factor) {
  Summary result = summary;
  result.value *= factor;
  if (auto& held = result.distribution) {
    for (double* each : {&held->min, &held->mean, &held->p95}) *each *= factor;
  }
  return result;
}

}  // namespace assay
