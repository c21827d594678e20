#include "stream/report.hpp"

namespace assay::stream {

void report(const Run& run, const Sampled& sampled, Document& doc) {
  for (const auto& [kernel, name, bytes] : kKernels) {
    const auto found = sampled.rates.find(kernel);
    if (found == sampled.rates.end()) continue;
    const auto& all = found->second;
    const std::vector<double> steady(all.begin() + static_cast<std::ptrdiff_t>(sampled.rule.dropped()), all.end());
    doc.measurement(name, "GB/s", Better::Higher).add(run.at, summarize(steady));
    if (!run.remote) {
      doc.measurement(std::string(name) + "Best", "GB/s", Better::Higher)
          .add(run.at, summarize_best(steady, Better::Higher));
    }
  }
  if (!sampled.rule.is_steady()) doc.note(run.at + ": the rate never became steady");
}

}  // namespace assay::stream
