// What LAMMPS wrote into its log about the runs of `driver`. Pure; a log may be cut off anywhere.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "lammps/cases.hpp"

namespace assay::lammps {

// The timed steps of one case.
struct Loop {
  double seconds = 0;
  std::int64_t steps = 0;
  std::int64_t atoms = 0;
  std::optional<double> pair_share, communication_share;  // percent
};

struct Simulated {
  std::string name;
  std::optional<State> reference;  // of 32,000 atoms after 100 steps
  std::optional<State> measured;   // of the measured box after 100 steps
  std::optional<Loop> loop;        // complete
};

struct Log {
  std::string version;
  std::int64_t ranks = 0;
  std::vector<Simulated> cases;  // those that were begun
  std::string error;             // what LAMMPS gave up with
};

Log read_log(std::istream& in);

// Whether an error says that the simulation went wrong, and not its start or the machine around it.
bool blew_up(const std::string& error);

}  // namespace assay::lammps
