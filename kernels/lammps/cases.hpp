// The four problems of LAMMPS' own benchmark, what comes out of them, and the input that runs them. Pure: numbers in, text out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::lammps {

// What a simulation has come to. Energies are per atom, in the units of the input.
struct State {
  double temperature = 0;
  double potential = 0;
  double total = 0;
};

// The largest difference of the three, relative to the reference's.
double deviation(const State& state, const State& reference);

// After 100 steps of 32,000 atoms, by the logs that LAMMPS ships (version of 15 July 2025, double precision). `ranks`: of so many only.
struct Reference {
  std::int64_t ranks = 0;  // 0: of any number
  State state;
};

struct Case {
  std::string name;
  std::string cluster_rate;  // the metric of its rate where ranks of several nodes compute it: a curve over nodes has a metric for itself
  std::string input;  // LAMMPS' file, with the variables x, y and z
  std::int64_t shrink;  // the measured box is smaller than asked for by this factor along each edge, because an atom costs so much more
  bool extensive;  // the input has energies printed of all atoms together
  std::vector<Reference> references;
};

const std::vector<Case>& cases();
std::vector<std::string> case_names();

struct Options {
  std::string only = "all";  // or the name of a case
  std::int64_t scale = 2;
  std::int64_t seconds = 10;
  std::string on = "cores";  // or gpus
  std::int64_t gpus = 0;     // 0: all
  std::int64_t ranks = 0;    // 0: one per core, and with GPUs a multiple of their number
  std::string inputs = "/usr/share/lammps/bench";
};

std::vector<Case> chosen(const Options& options);

// Copies of 32,000 atoms along each edge, and atoms, of the measured box.
std::int64_t edge(const Case& c, std::int64_t scale);
std::int64_t atoms(const Case& c, std::int64_t scale);

// Bytes that so many ranks need for the largest of them, with room: LAMMPS of 2022 was seen to take less than half of it.
std::int64_t memory_bytes(const Options& options, std::int64_t ranks);

// As many ranks as cores; GPUs get equally many each, at least one and at most 16: what GPUs do not compute needs cores. On an H200, 16 ranks
// were six times as fast as one; more have not been measured.
std::int64_t ranks_for(const Options& options, std::int64_t cores, std::int64_t gpus);

// The reference of so many ranks, and how far a state may be from it. LAMMPS' GPU package computes forces in single precision and adds them
// up in double (`mixed`). Thermal noise that depends on the ranks makes the reference one of many.
struct Bound {
  State reference;
  double deviation = 0;
};
Bound bound_of(const Case& c, std::int64_t ranks, bool mixed);
// Of a box of another size: the same within what its size and its velocities change.
inline constexpr double kSameMaterial = 0.01;

// LAMMPS' input for all chosen cases. Each is run as its reference was, then at the size to be measured: 100 steps first, in which memory
// is touched and the lattice melts, then as many as fit into the time. LAMMPS writes into the file `mark`, if there is one, the name of the
// case that is timed, and else kNothingTimed (timed.hpp).
std::string driver(const Options& options, const std::string& mark = "");

}  // namespace assay::lammps
