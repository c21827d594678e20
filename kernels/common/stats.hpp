// Robust statistics of a handful of samples. Nothing here assumes a normal distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace assay {

enum class Better { Higher, Lower };

// What the median hides: how the samples lie around it.
struct Distribution {
  double min = 0;
  double mean = 0;
  double p95 = 0;            // 95th percentile
  std::size_t outliers = 0;  // outliers() among the samples
};

// One measured figure as it stands in the result document.
struct Summary {
  double value = 0;         // median, or best where the field's convention is best
  std::size_t samples = 0;  // how many samples it rests on
  double spread = 0;        // relative_spread() of those samples
  std::optional<Distribution> distribution = std::nullopt;  // absent where the figure is no summary of samples
};

// The same samples in another unit. factor: above 0.
Summary rescaled(const Summary& summary, double factor);

// Of an even number of samples, the mean of the middle two. NaN for none.
double median(std::vector<double> samples);

// Median absolute deviation from the median, unscaled. NaN for none.
double mad(const std::vector<double>& samples);

// p in [0, 100], linear between closest ranks (R's type 7, NumPy's default). NaN for none.
double percentile(std::vector<double> samples, double p);

double best(const std::vector<double>& samples, Better better);

// 1.4826 MAD / |median|: for normal noise, the relative standard deviation; hardly moved by outliers.
// 0 for fewer than two samples. Infinite when the median is 0 and the samples differ.
double relative_spread(const std::vector<double>& samples);

// How many samples lie farther than five spreads from the median. A spread below 1 % counts as 1 %: that little says nothing
// about whether somebody disturbed the measurement.
std::size_t outliers(const std::vector<double>& samples);

struct Interval {
  double low = 0;
  double high = 0;
  double confidence = 0;  // what this interval really covers, which may be less than asked for
};

// Confidence interval of the median from order statistics (exact binomial, symmetric ranks): the narrowest one that covers
// at least `confidence`, or [min, max] with its real coverage where there are too few samples (fewer than 6 for 95 %).
Interval median_interval(std::vector<double> samples, double confidence = 0.95);

Summary summarize(const std::vector<double>& samples);
Summary summarize_best(const std::vector<double>& samples, Better better);

}  // namespace assay
