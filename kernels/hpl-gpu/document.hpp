// What stands in the document of a run.
#pragma once

#include <string>
#include <vector>

#include "common/document.hpp"
#include "hpl-gpu/benchmark.hpp"

namespace assay::hplgpu {

// names: of the ranks, as parts. whole: the part that all of them are.
void report_figures(const Problem& problem, const std::vector<Repetition>& repetitions, const std::vector<std::string>& names,
                    const std::string& whole, Document& doc);

// Checks `residual`, and `dataIntegrity` where there are several ranks.
void report_checks(const std::vector<Repetition>& repetitions, const std::vector<std::string>& names, Document& doc);

}  // namespace assay::hplgpu
