// What a solver of OpenFOAM prints. Its lines are the same from version 2 to those of today.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace assay::openfoam {

// Initial residuals of one field: the greatest, and the last.
struct Residual {
  double greatest = 0;
  double last = 0;
};

struct Log {
  std::vector<double> times;   // ExecutionTime at the end of each iteration: the processor time of the first rank, in seconds
  std::vector<double> clocks;  // ClockTime beside it, in whole seconds; where it is not there, the processor time
  std::map<std::string, Residual> residuals;
  double continuity = 0;  // "sum local" of the last iteration
  bool has_continuity = false;
  bool finite = true;  // no number was nan or inf
  bool ended = false;  // the solver came to its end
};

Log read_log(std::istream& in);

// Seconds per iteration over all but the first quarter of the iterations, in which the solver settles; 0 with fewer than 2. The processor
// time tells them to a hundredth, but not the time in which the rank had no processor: where the clock went further, it counts.
double seconds_per_iteration(const Log& log);

// The first field whose residual did not fall to half of its greatest; empty for none.
std::string unconverged(const Log& log);

}  // namespace assay::openfoam
