// A box of water for GROMACS, and how it is simulated. Pure: numbers in, text out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::gromacs {

struct Options {
  std::int64_t edge = 8;  // the box is edge^3 copies of one of 216 molecules
  double seconds = 60;
  std::int64_t threads = 0;  // 0: one per core
  std::int64_t list_steps = 10;  // steps between two searches for pairs: mdrun itself chooses no other for constant energy
};

// 3 x 216 x edge^3: 17,496 for 3, 331,776 for 8, 3,183,624 for 17.
std::int64_t atoms(std::int64_t edge);

// Bytes that a simulation of so many atoms needs, with room: GROMACS 2022 was seen to take less than half of it.
std::int64_t memory_bytes(std::int64_t atoms);

// The topology (SPC/E water) and the parameters: constant energy, so that its drift can be seen; PME, steps
// of 2 fs, rigid water, velocities of 300 K from a fixed seed.
std::string topology(std::int64_t edge);
std::string parameters(std::int64_t list_steps);

// The arguments of gmx, each for one of its tools. `water` is the file of the 216 molecules.
std::vector<std::string> make_box(std::int64_t edge, const std::string& water);
std::vector<std::string> make_run_input();
// The first half of the time is not counted: threads and sizes settle.
std::vector<std::string> simulate(const std::string& input, double seconds, const std::vector<std::string>& placement);

inline constexpr const char* kRunInput = "topol.tpr";
inline constexpr const char* kLog = "md.log";

}  // namespace assay::gromacs
