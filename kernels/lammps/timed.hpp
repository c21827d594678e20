// For how long each case was timed, by what LAMMPS writes into a file as it goes: its log comes late. Pure.
#pragma once

#include <optional>
#include <string>

namespace assay::lammps {

inline constexpr const char* kNothingTimed = "nothing";

class Timed {
 public:
  struct Over {
    std::string name;
    double seconds;
  };

  // What the file says at this time, in seconds; the case whose time is over by that. An empty file is just being written.
  std::optional<Over> look(const std::string& mark, double at);

 private:
  std::string name_ = kNothingTimed;
  double since_ = 0;
};

}  // namespace assay::lammps
