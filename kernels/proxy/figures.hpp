// What a document says of the timings of a proxy.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "common/document.hpp"
#include "common/scaling.hpp"
#include "proxy/timing.hpp"

namespace assay::proxy {

// Three digits: what is only to be looked at.
inline std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// What one rank's step comes to.
struct Work {
  std::string name;  // "elementSteps"
  std::string unit;  // "element-steps/s"
  double items;      // elements, cells, particles
  double operations;
  double bytes;
};

class Figures {
 public:
  explicit Figures(Work work) : work_(std::move(work)) {}

  // at: "4gpu", or "all" where ranks are processes.
  void add_team(int ranks, const std::string& at, const Timing& timing, Document& doc) {
    const auto rate = timing.slowest.summary_of([&](double seconds) { return work_.items * ranks / seconds; });
    doc.measurement(work_.name, work_.unit, Better::Higher).add(at, rate);
    doc.measurement("timePerStep", "us", Better::Lower).add(at, timing.slowest.summary_of([](double seconds) { return seconds * 1e6; }));
    if (ranks == 1) one_ = rate.value;
    if (ranks > 1 && one_ > 0) {
      doc.measurement("scalingEfficiency", "1", Better::Higher)
          .add(at, {scaling_efficiency(rate.value, ranks, one_), rate.samples, rate.spread});
    }
  }

  // suffix: "PerGpu"
  void add_ranks(const std::vector<std::string>& names, const std::string& suffix, const Timing& timing, Document& doc) const {
    add(work_.name + suffix, work_.unit, work_.items, names, timing, doc);
    add_rates(names, suffix, timing, doc);
  }

  void add_rates(const std::vector<std::string>& names, const std::string& suffix, const Timing& timing, Document& doc) const {
    add("memoryRate" + suffix, "GB/s", work_.bytes * 1e-9, names, timing, doc);
    add("operationRate" + suffix, "GFLOP/s", work_.operations * 1e-9, names, timing, doc);
  }

 private:
  static void add(const std::string& name, const std::string& unit, double amount, const std::vector<std::string>& names, const Timing& timing,
                  Document& doc) {
    auto& measurement = doc.measurement(name, unit, Better::Higher);
    for (std::size_t i = 0; i < names.size(); ++i) {
      measurement.add(names[i], timing.ranks[i].summary_of([&](double seconds) { return amount / seconds; }));
    }
  }

  Work work_;
  double one_ = 0;
};

}  // namespace assay::proxy
