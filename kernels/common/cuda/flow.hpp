// Times streams of equal operations (copies, mostly), alone or several at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "common/cuda/latch.hpp"
#include "common/cuda/stream.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/sampling.hpp"

namespace assay::cuda {

// One stream that does the same operation again and again. The stream must outlive the flow.
struct Flow {
  const Stream* stream;
  std::function<void()> enqueue;  // queues one operation on the stream
};

struct Repeats {
  int timed = 1;
  int tail = 0;  // queued behind the timed ones, so that a flow that ends early still loads what the others share
  int lead = 0;  // queued before the timed ones, so that the way from the latch to the copy engine is not in their time
};

// Starts all flows at the same moment and returns the seconds each took for its timed operations, in the flows' order.
std::vector<double> time_together(Latch& latch, const std::vector<Flow>& flows, Repeats repeats);

// For operations that may block the host, which a latch would deadlock with: no latch, so launches are inside.
std::vector<double> time_unlatched(const std::vector<Flow>& flows, Repeats repeats);

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Samples until the rule has enough.
template <typename Measure>
Summary collect(StoppingRule rule, Measure measure) {
  while (rule.wants_more()) {
    look_between_samples();
    const Stopwatch watch;
    const double sample = measure();
    rule.add(sample, watch.seconds());
  }
  return rule.summary();
}

// The same for several parts that are measured at once: stops when every part has enough. measure() returns one value per
// part. Returns the parts' rules, which hold their samples.
template <typename Measure>
std::vector<StoppingRule> sample_together(std::size_t parts, const StoppingRule& rule, Measure measure) {
  std::vector<StoppingRule> rules(parts, rule);
  const auto wants_more = [](const StoppingRule& each) { return each.wants_more(); };
  while (std::any_of(rules.begin(), rules.end(), wants_more)) {
    look_between_samples();
    const Stopwatch watch;
    const std::vector<double> values = measure();
    const double cost = watch.seconds();
    for (std::size_t i = 0; i < parts; ++i) rules[i].add(values[i], cost);
  }
  return rules;
}

template <typename Measure>
std::vector<Summary> collect_together(std::size_t parts, const StoppingRule& rule, Measure measure) {
  std::vector<Summary> summaries;
  for (const auto& each : sample_together(parts, rule, measure)) summaries.push_back(each.summary());
  return summaries;
}

}  // namespace assay::cuda
