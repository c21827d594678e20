// The cases that OpenFOAM solves, and how they are divided among ranks. Pure: numbers in, text out.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace assay::openfoam {

enum class Case { Cavity, MotorBike };

struct Options {
  std::string name = "cavity";
  std::int64_t cells = 128;  // along each edge of the cavity
  std::int64_t iterations = 20;
  std::int64_t ranks = 0;  // of a run on one node; 0: one per core
};

// The motorBike's mesh as snappyHexMesh makes it of the tutorial's dictionaries.
inline constexpr std::int64_t kMotorBikeCells = 353'525;

// Throws std::invalid_argument for a name that is none.
Case case_named(const std::string& name);
std::int64_t cells_of(const Options& options);
std::string solver_of(Case which);

// The cavity's solves end at this residual at the latest.
inline constexpr double kTolerance = 1e-5;

// The residuals with which the last solves of the cavity's velocities begin on healthy machines, by field: those of `--cells 24`, 64 and 128 with
// 20 iterations; else empty. The number of ranks changes them by less than kResidualDeviation.
std::map<std::string, double> expected_residuals(const Options& options);
inline constexpr double kResidualDeviation = 0.02;

// Bytes that making and solving the case takes on one node, with room.
std::int64_t memory_bytes(std::int64_t cells);

// Ranks in x, y and z, as near to a cube as their number allows; the most in x.
std::array<std::int64_t, 3> divide(std::int64_t ranks);

// Files of the case by their paths: of the cavity all, of the motorBike those that differ from its tutorial's.
std::map<std::string, std::string> files(const Options& options, std::int64_t ranks);

}  // namespace assay::openfoam
