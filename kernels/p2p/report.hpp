// How the pairs' figures are written into the document without it growing too large. Host code only.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/document.hpp"
#include "p2p/pairs.hpp"

namespace assay::p2p {

using Results = std::vector<std::pair<Pair, Summary>>;
using Label = std::string (*)(const Pair&);

// Primary: writes and exchanges by the copy engine, by which links are judged. Secondary: what explains them.
enum class Rank { Primary, Secondary };

// Every pair gets a part of its own, except in the secondary modes of a node with many GPUs: eight GPUs have 56 pairs, and
// the document of a whole run has to fit into 4096 bytes when compressed.
inline bool is_in_full(Rank rank, int gpus) {
  constexpr int kMostGpusInFull = 4;
  return rank == Rank::Primary || gpus <= kMostGpusInFull;
}

// Four significant digits, and spreads to a hundredth of a percent: what 56 pairs can afford.
inline Summary shortened(const Summary& summary) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", summary.value);
  return {std::strtod(text, nullptr), summary.samples, std::round(summary.spread * 1e4) / 1e4};
}

// In full: one part per pair. Otherwise one per GPU: the worst of the pairs that begin with it.
inline void add_results(Measurement& measurement, Better better, bool in_full, const Results& results, Label label) {
  if (in_full) {
    constexpr std::size_t kMostExact = 12;  // the pairs of four GPUs
    for (const auto& [pair, summary] : results) {
      measurement.add(label(pair), results.size() > kMostExact ? shortened(summary) : summary);
    }
    return;
  }
  std::map<int, Summary> worst;
  for (const auto& [pair, summary] : results) {
    const auto [slot, is_new] = worst.try_emplace(pair.from, summary);
    const double gain = summary.value - slot->second.value;
    if (!is_new && (better == Better::Higher ? gain < 0 : gain > 0)) slot->second = summary;
  }
  for (const auto& [gpu, summary] : worst) measurement.add("gpu" + std::to_string(gpu), summary);
}

}  // namespace assay::p2p
