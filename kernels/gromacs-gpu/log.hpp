// What mdrun's log says of a simulation. Absent: the log does not say it, or says what is no number.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

namespace assay::gromacs {

struct Figures {
  std::string version;
  std::string gpu_support;                // "CUDA", "disabled"
  std::optional<double> atoms;
  std::optional<double> rate;             // ns/day, of the steps that count
  std::optional<double> seconds;          // that these steps took
  std::optional<double> imbalance;        // of the forces among ranks, percent
  std::optional<double> pme_share;        // of the time, percent
  std::optional<double> pme_force_ratio;  // load of the rank with PME over that of the others
  std::optional<double> temperature;      // K, mean of all steps
  std::optional<double> drift;            // kJ/mol/ps per atom, without its sign
  std::int64_t constraint_warnings = 0;
  bool ended = false;                     // the last line is there
};

// A log is another program's output: what cannot be read is left out, whatever it is.
Figures read_log(std::istream& log);

}  // namespace assay::gromacs
