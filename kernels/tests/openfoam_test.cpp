#include <sstream>

#include <gtest/gtest.h>

#include "openfoam/case.hpp"
#include "openfoam/log.hpp"

namespace assay::openfoam {
namespace {

// Lines of icoFoam of OpenFOAM v1912, three steps of a cavity.
constexpr const char* kCavity = R"(Starting time loop

Time = 0.0015625

Courant Number mean: 0 max: 0
smoothSolver:  Solving for Ux, Initial residual = 1, Final residual = 4.92e-06, No Iterations 3
smoothSolver:  Solving for Uz, Initial residual = 0, Final residual = 0, No Iterations 0
GAMG:  Solving for p, Initial residual = 1, Final residual = 0.0063, No Iterations 3
time step continuity errors : sum local = 0.00021, global = 1.1e-19, cumulative = 1.1e-19
ExecutionTime = 0.50 s  ClockTime = 1 s

Time = 0.003125

smoothSolver:  Solving for Ux, Initial residual = 0.4, Final residual = 4.92e-06, No Iterations 3
smoothSolver:  Solving for Uz, Initial residual = 0.3, Final residual = 1e-06, No Iterations 3
GAMG:  Solving for p, Initial residual = 0.2, Final residual = 0.0013, No Iterations 3
time step continuity errors : sum local = 0.00011, global = 1.1e-19, cumulative = 1.1e-19
ExecutionTime = 0.80 s  ClockTime = 1 s

Time = 0.0046875

smoothSolver:  Solving for Ux, Initial residual = 0.1, Final residual = 4.92e-06, No Iterations 3
smoothSolver:  Solving for Uz, Initial residual = 0.1, Final residual = 1e-06, No Iterations 3
GAMG:  Solving for p, Initial residual = 0.1, Final residual = 0.0007, No Iterations 3
time step continuity errors : sum local = 5e-05, global = 1.1e-19, cumulative = 1.1e-19
ExecutionTime = 1.20 s  ClockTime = 2 s

End
)";

Log read(std::string text, const std::string& word = "", const std::string& by = "") {
  if (const auto at = word.empty() ? std::string::npos : text.rfind(word); at != std::string::npos) text.replace(at, word.size(), by);
  std::istringstream in(text);
  return read_log(in);
}

TEST(OpenFoamLog, ReadsTimesResidualsAndContinuity) {
  const Log log = read(kCavity);
  EXPECT_EQ(log.times, (std::vector<double>{0.5, 0.8, 1.2}));
  EXPECT_DOUBLE_EQ(seconds_per_iteration(log), 0.35);
  EXPECT_DOUBLE_EQ(log.residuals.at("Ux").greatest, 1);
  EXPECT_DOUBLE_EQ(log.residuals.at("Ux").last, 0.1);
  EXPECT_DOUBLE_EQ(log.continuity, 5e-05);
  EXPECT_TRUE(log.ended && log.finite && log.has_continuity);
  EXPECT_DOUBLE_EQ(log.residuals.at("p").end, 0.0007);
}

// A rank that gets a tenth of a processor uses no more processor time than one that has it alone.
TEST(OpenFoamLog, CountsTheTimeWithoutAProcessor) {
  EXPECT_DOUBLE_EQ(seconds_per_iteration(read(kCavity, "ClockTime = 2 s", "ClockTime = 12 s")), 5);
  EXPECT_DOUBLE_EQ(seconds_per_iteration(read("ExecutionTime = 1 s\nExecutionTime = 3 s\n")), 2);
}

constexpr const char* kNoResidual = "the log shows no residual of a field that is solved";

TEST(OpenFoamLog, TellsWhatDidNotSettle) {
  EXPECT_EQ(unsettled(read(kCavity)), "");
  EXPECT_EQ(unsettled(read(kCavity, "Uz, Initial residual = 0.1", "Uz, Initial residual = 0.9")), "the residual of Uz did not fall to half of its greatest");
  EXPECT_EQ(unsettled(read("")), kNoResidual);
}

// A flow that still changes begins each solve anew, but must end each where the solver is to stop.
TEST(OpenFoamLog, TellsWhatWasNotSolved) {
  EXPECT_EQ(unsolved(read(kCavity, "Uz, Initial residual = 0.1", "Uz, Initial residual = 0.9"), 1e-3), "");
  EXPECT_EQ(unsolved(read(kCavity), 1e-5), "the last solve of p ended at a residual of 0.0007, expected at most 1e-05");
  EXPECT_NE(unsolved(read(kCavity, "Final residual = 1e-06", "Final residual = nan"), 1e-3), "");
  EXPECT_EQ(unsolved(read(""), 1), kNoResidual);
}

TEST(OpenFoamLog, TellsAnotherFlow) {
  const std::map<std::string, double> expected = {{"Ux", 0.0985}, {"Uz", 0.101}};
  EXPECT_EQ(another_flow(read(kCavity), expected, 0.02), "");
  EXPECT_EQ(another_flow(read(kCavity), {{"Ux", 0.097}}, 0.02),
            "the last solve of Ux began at a residual of 0.1, expected 0.097 within 2 %: the flow is another one");
  EXPECT_NE(another_flow(read(kCavity, "Uz, Initial residual = 0.1", "Uz, Initial residual = nan"), expected, 0.02), "");
  EXPECT_EQ(another_flow(read(""), expected, 0.02), kNoResidual);
  EXPECT_EQ(another_flow(read(""), {}, 0.02), "");
}

// The default, which everybody runs, is one whose flow is known.
TEST(OpenFoamCase, KnowsTheFlowOfItsDefault) {
  Options options;
  EXPECT_EQ(expected_residuals(options).size(), 2U);
  options.iterations = 19;
  EXPECT_TRUE(expected_residuals(options).empty());
  options = {"motorBike", 128, 20, 0};
  EXPECT_TRUE(expected_residuals(options).empty());
}

TEST(OpenFoamLog, TellsNumbersThatAreNone) {
  EXPECT_FALSE(read(kCavity, "Initial residual = 0.1", "Initial residual = nan").finite);
  EXPECT_FALSE(read(kCavity, "sum local = 5e-05", "sum local = inf").finite);
}

TEST(OpenFoamLog, OfASolverThatDiedHasNoEnd) {
  const std::string text(kCavity);
  const Log log = read(text.substr(0, text.rfind("ExecutionTime")));
  EXPECT_FALSE(log.ended);
  EXPECT_EQ(log.times.size(), 2U);
  EXPECT_EQ(seconds_per_iteration(read("ExecutionTime = 1 s\n")), 0);
  EXPECT_TRUE(read("ExecutionTime = s\nExecutionTime = \x1b[2J s\n").times.empty());
}

TEST(OpenFoamCase, DividesAsNearToACubeAsTheNumberAllows) {
  const auto n = [](std::int64_t x, std::int64_t y, std::int64_t z) { return std::array<std::int64_t, 3>{x, y, z}; };
  EXPECT_EQ(divide(1), n(1, 1, 1));
  EXPECT_EQ(divide(2), n(2, 1, 1));
  EXPECT_EQ(divide(8), n(2, 2, 2));
  EXPECT_EQ(divide(7), n(7, 1, 1));
  EXPECT_EQ(divide(12), n(3, 2, 2));
  EXPECT_EQ(divide(128), n(8, 4, 4));
}

TEST(OpenFoamCase, TheCavityIsWholeAndTheMotorBikeIsItsTutorial) {
  Options options;
  const auto cavity = files(options, 8);
  EXPECT_NE(cavity.at("system/blockMeshDict").find("(0 1 2 3 4 5 6 7) (128 128 128) simpleGrading"), std::string::npos);
  EXPECT_NE(cavity.at("system/decomposeParDict").find("n (2 2 2)"), std::string::npos);
  EXPECT_NE(cavity.at("system/controlDict").find("endTime 0.0078125;\ndeltaT 0.000390625;"), std::string::npos) << cavity.at("system/controlDict");
  EXPECT_EQ(cells_of(options), 2097152);
  options.name = "motorBike";
  const auto bike = files(options, 8);
  EXPECT_EQ(bike.size(), 2U);
  EXPECT_NE(bike.at("system/controlDict").find("endTime 20;\ndeltaT 1;"), std::string::npos);
  EXPECT_EQ(cells_of(options), kMotorBikeCells);
  EXPECT_THROW(case_named("../etc"), std::invalid_argument);
}

}  // namespace
}  // namespace assay::openfoam
