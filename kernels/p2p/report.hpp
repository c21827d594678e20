// How the pairs' figures are written into the document without it growing too large. Host code only.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/document.hpp"
#include "p2p/pairs.hpp"

namespace assay::p2p {

using Results = std::vector<std::pair<Pair, Summary>>;
using Label = std::string (*)(const Pair&);

// Primary: the copy engine's figures, by which links are judged. Secondary: what explains them.
enum class Rank { Primary, Secondary };

// Every pair gets a part of its own, except in the secondary modes of a node with many GPUs: eight GPUs have 56 pairs, and
// the document of a whole run has to fit into 4096 bytes when compressed.
inline bool is_in_full(Rank rank, int gpus) {
  constexpr int kMostGpusInFull = 4;
  return rank == Rank::Primary || gpus <= kMostGpusInFull;
}

// In full: one part per pair. Otherwise one per GPU: the worst of the pairs that begin with it.
inline void add_results(Measurement& measurement, Better better, bool in_full, const Results& results, Label label) {
  if (in_full) {
    for (const auto& [pair, summary] : results) measurement.add(label(pair), summary);
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
