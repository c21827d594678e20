#include "gromacs/tools.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "common/host/cgroup.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"

namespace assay::gromacs {
namespace {

namespace fs = std::filesystem;

// Debian's place, or that of a GROMACS of one's own beside its programs' folder.
fs::path water() {
  std::vector<fs::path> places = {"/usr/share/gromacs/top", "/usr/local/gromacs/share/gromacs/top", "/usr/local/share/gromacs/top"};
  if (const char* own = std::getenv("GMXDATA")) places.insert(places.begin(), fs::path(own) / "top");
  for (const auto& place : places) {
    if (fs::exists(place / "spc216.gro")) return place / "spc216.gro";
  }
  throw CannotRun("spc216.gro is not there: install GROMACS, or set GMXDATA to its folder share/gromacs");
}

// Runs gmx, which is no rank of anything: started as one, it would wait for the others.
void gmx(const std::vector<std::string>& arguments, const fs::path& folder) {
  Command command{{"gmx"}, folder, {}, launcher_variables()};
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
  const int code = run_to_end(command);
  throw_if_stopped();
  if (code == kNotInstalled) throw CannotRun("gmx is not installed");
  if (code != 0) throw std::runtime_error("gmx " + arguments[1] + " ended with exit code " + std::to_string(code));
}

}  // namespace

void make_input(const Options& options, const fs::path& folder) {
  const std::int64_t atoms = gromacs::atoms(options.edge);
  std::cerr << "gromacs: a box of " << atoms << " atoms" << std::endl;
  const std::int64_t needed = memory_bytes(atoms);
  if (const std::int64_t usable = usable_memory_bytes(); needed > usable) {
    throw CannotRun("a box of " + std::to_string(atoms) + " atoms needs " + std::to_string(needed >> 20) + " MiB, and " +
                    std::to_string(usable >> 20) + " MiB are usable: choose a smaller --edge");
  }
  std::ofstream(folder / "topol.top") << topology(options.edge);
  std::ofstream(folder / "run.mdp") << parameters(options.list_steps);
  gmx(make_box(options.edge, water().string()), folder);
  gmx(make_run_input(), folder);
}

}  // namespace assay::gromacs
