#include "gromacs/input.hpp"

#include <cstdio>

namespace assay::gromacs {

std::int64_t atoms(std::int64_t edge) { return 3 * 216 * edge * edge * edge; }

std::int64_t memory_bytes(std::int64_t atoms) { return (std::int64_t{256} << 20) + 4096 * atoms; }

std::string topology(std::int64_t edge) {
  return "#include \"oplsaa.ff/forcefield.itp\"\n"
         "#include \"oplsaa.ff/spce.itp\"\n"
         "[ system ]\n"
         "water\n"
         "[ molecules ]\n"
         "SOL " + std::to_string(atoms(edge) / 3) + "\n";
}

std::string parameters(std::int64_t list_steps) {
  return "nstlist = " + std::to_string(list_steps) + "\n"
         "integrator = md\n"
         "dt = 0.002\n"
         "nsteps = -1\n"
         "nstlog = 5000\n"
         "nstenergy = 500\n"
         "nstcalcenergy = 100\n"
         "cutoff-scheme = Verlet\n"
         "coulombtype = PME\n"
         "rcoulomb = 1.0\n"
         "rvdw = 1.0\n"
         "fourierspacing = 0.12\n"
         "constraints = h-bonds\n"
         "tcoupl = no\n"
         "pcoupl = no\n"
         "gen-vel = yes\n"
         "gen-temp = 300\n"
         "gen-seed = 20181\n";
}

std::vector<std::string> make_box(std::int64_t edge, const std::string& water) {
  const std::string n = std::to_string(edge);
  return {"-quiet", "genconf", "-f", water, "-nbox", n, n, n, "-o", "box.gro"};
}

std::vector<std::string> make_run_input() {
  return {"-quiet", "grompp", "-f", "run.mdp", "-c", "box.gro", "-p", "topol.top", "-o", kRunInput, "-po", "out.mdp"};
}

std::vector<std::string> simulate(const std::string& input, double seconds, const std::vector<std::string>& placement) {
  char hours[32];
  // mdrun ends when 99 % of this has passed, and resets its counters at half of it.
  std::snprintf(hours, sizeof hours, "%.9f", seconds / 3600 / 0.99);
  std::vector<std::string> arguments = {"-quiet", "mdrun", "-s", input, "-g", kLog, "-maxh", hours, "-resethway",
                                        "-notunepme", "-noconfout"};
  arguments.insert(arguments.end(), placement.begin(), placement.end());
  return arguments;
}

}  // namespace assay::gromacs
