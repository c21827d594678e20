// What stands in the document of a run. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/document.hpp"
#include "hpl-gpu/figures.hpp"
#include "hpl-gpu/report.hpp"

namespace assay::hplgpu {

struct Repetition {
  double seconds = 0;  // the slowest rank's
  Residual residual;
  std::vector<RankFigures> ranks;
};

// Of more ranks, phases are not told one by one: the document has to fit into a termination message.
inline constexpr std::size_t kMostRanksInPhases = 8;

// names: of the ranks, as parts. whole: the part that all of them are.
void report_figures(const Problem& problem, const std::vector<Repetition>& repetitions, const std::vector<std::string>& names,
                    const std::string& whole, Document& doc);

// Checks `residual`, and `dataIntegrity` where there are several ranks.
void report_checks(const std::vector<Repetition>& repetitions, const std::vector<std::string>& names, Document& doc);

}  // namespace assay::hplgpu
