// Samples of one run, and how they enter the document.
#pragma once

#include <map>
#include <vector>

#include "common/document.hpp"
#include "common/sampling.hpp"
#include "stream/kernels.hpp"
#include "stream/places.hpp"

namespace assay::stream {

struct Sampled {
  StoppingRule rule;                            // fed with Triad
  std::map<Kernel, std::vector<double>> rates;  // GB/s, one per round
  double worst_error = 0;
};

// Adds the median of every kernel, and the best but for remote runs, to the document.
void report(const Run& run, const Sampled& sampled, Document& doc);

}  // namespace assay::stream
