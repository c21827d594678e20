// What a solver of OpenFOAM prints. Its lines are the same from version 2 to those of today.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace assay::openfoam {

// Residuals of one field: the greatest with which a solve began, and those with which its last solve began and ended.
struct Residual {
  double greatest = 0;
  double last = 0;
  double end = 0;
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

// What is wrong with the residuals of a case that settles over its iterations: the first field whose last solve began above half of the
// greatest residual. Empty if nothing is.
std::string unsettled(const Log& log);

// What is wrong with those of a case whose flow still changes: the first field whose last solve ended above the solver's tolerance.
std::string unsolved(const Log& log, double tolerance);

// What is wrong with the flow: the first field whose last solve began at another residual than it does on healthy machines.
std::string another_flow(const Log& log, const std::map<std::string, double>& expected, double deviation);

}  // namespace assay::openfoam
