#include "lammps/timed.hpp"

namespace assay::lammps {

std::optional<Timed::Over> Timed::look(const std::string& mark, double at) {
  if (mark.empty() || mark == name_) return std::nullopt;
  const Over over{name_, at - since_};
  name_ = mark;
  since_ = at;
  return over.name == kNothingTimed ? std::nullopt : std::optional<Over>(over);
}

}  // namespace assay::lammps
