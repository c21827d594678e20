#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "gromacs/input.hpp"
#include "gromacs/ranks.hpp"
#include "gromacs-gpu/log.hpp"
#include "gromacs-gpu/placement.hpp"

namespace assay::gromacs {
namespace {

std::string recorded(const std::string& name) {
  std::ifstream in(std::string(ASSAY_OUTPUTS) + "/" + name);
  std::stringstream all;
  all << in.rdbuf();
  EXPECT_FALSE(all.str().empty()) << name;
  return all.str();
}

Figures read(const std::string& log) {
  std::istringstream in(log);
  return read_log(in);
}

TEST(GromacsLog, SaysWhatMdrunReported) {
  const Figures figures = read(recorded("gromacs-2022-mpi.txt"));
  EXPECT_EQ(figures.version, "2022.5-Debian_2022.5_2");
  EXPECT_EQ(figures.gpu_support, "disabled");
  EXPECT_EQ(figures.atoms, 17496);
  EXPECT_EQ(figures.rate, 13.530);
  EXPECT_EQ(figures.seconds, 14.943);
  EXPECT_EQ(figures.imbalance, 4.0);
  EXPECT_EQ(figures.pme_share, 20.7);
  EXPECT_FALSE(figures.pme_force_ratio) << "no rank did PME alone";
  ASSERT_TRUE(figures.temperature);
  EXPECT_NEAR(*figures.temperature, 303, 3);
  ASSERT_TRUE(figures.drift);
  EXPECT_LT(*figures.drift, 0.1);
  EXPECT_EQ(figures.constraint_warnings, 0);
  EXPECT_TRUE(figures.ended);
}

TEST(GromacsLog, RanksOfPmeAndGpusHaveLinesOfTheirOwn) {
  const Figures figures = read(
      " Average PME mesh/force load: 0.873\n"
      " PME GPU mesh *         1   16       2000       4.123         98.765  17.5\n"
      " Conserved energy drift: -2.5e-03 kJ/mol/ps per atom\n"
      "Step 12, time 0.024 (ps)  LINCS WARNING\n"
      "step 12: One or more water molecules can not be settled.\n");
  EXPECT_EQ(figures.pme_force_ratio, 0.873);
  EXPECT_EQ(figures.pme_share, 17.5);
  EXPECT_EQ(figures.drift, 2.5e-3) << "which way it goes does not matter";
  EXPECT_EQ(figures.constraint_warnings, 2);
}

TEST(GromacsLog, NoPrefixOfALogIsTakenForAWholeOne) {
  const std::string whole = recorded("gromacs-2022-mpi.txt");
  for (std::size_t length = 0; length < whole.size() - 60; length += 97) EXPECT_FALSE(read(whole.substr(0, length)).ended) << length;
}

TEST(GromacsLog, WhatIsNoNumberIsLeftOut) {
  const Figures figures = read(
      "Performance:       nan        0.1\nConserved energy drift: inf kJ/mol/ps per atom\nThere are: many Atoms\n"
      "Average load imbalance:\n       Time:\n PME mesh \nA V E R A G E S\n    Temperature\n   1.2x\n");
  EXPECT_FALSE(figures.rate);
  EXPECT_FALSE(figures.drift);
  EXPECT_FALSE(figures.atoms);
  EXPECT_FALSE(figures.imbalance);
  EXPECT_FALSE(figures.seconds);
  EXPECT_FALSE(figures.pme_share);
  EXPECT_FALSE(figures.temperature);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST(GromacsPlacement, OneGpuHasOneRankForEverything) {
  const Placement placement = place(1, 16, 1);
  EXPECT_EQ(joined(arguments(placement)), "-nb gpu -pme gpu -update gpu -ntmpi 1 -ntomp 16 -gpu_id 0");
  EXPECT_TRUE(environment(placement).empty());
}

TEST(GromacsPlacement, OverSeveralTheLastDoesPmeForAll) {
  EXPECT_EQ(joined(arguments(place(2, 32, 1))), "-nb gpu -pme gpu -update gpu -ntmpi 2 -ntomp 16 -npme 1 -gputasks 0,1");
  EXPECT_EQ(joined(arguments(place(2, 30, 2))), "-nb gpu -pme gpu -update gpu -ntmpi 4 -ntomp 7 -npme 1 -gputasks 0,0,1,1");
  EXPECT_EQ(environment(place(8, 128, 1)).count("GMX_ENABLE_DIRECT_GPU_COMM"), 1U);
}

TEST(GromacsPlacement, ThreadsAreThereOnAnyNode) {
  EXPECT_EQ(place(1, 16, 0).ranks, 1);
  EXPECT_EQ(place(4, 16, 0).ranks, 8);
  EXPECT_EQ(place(8, 2, 1).threads, 1);
  EXPECT_EQ(place(1, 256, 1).threads, 64);
}

// mdrun refuses 19 and 31 ranks with forces.
TEST(GromacsPlacement, HasNoNumberOfRanksThatMdrunRefuses) {
  EXPECT_EQ(joined(arguments(place(10, 200, 0))),
            "-nb gpu -pme gpu -update gpu -ntmpi 19 -ntomp 10 -npme 1 -gputasks 0,0,1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8,9");
  const Placement sixteen = place(16, 128, 0);
  EXPECT_EQ(sixteen.ranks, 31);
  EXPECT_EQ(sixteen.tasks.substr(sixteen.tasks.size() - 9), ",14,14,15") << "the last GPU has PME only";
  for (std::int64_t gpus = 1; gpus <= 64; ++gpus) {
    const Placement placement = place(gpus, 128, 0);
    EXPECT_TRUE(may_share_forces(placement.ranks - placement.pme_ranks)) << gpus;
    for (std::int64_t gpu = 0; gpus > 1 && gpu < gpus; ++gpu) {
      EXPECT_NE(("," + placement.tasks + ",").find("," + std::to_string(gpu) + ","), std::string::npos) << gpu << " of " << gpus;
    }
  }
  EXPECT_EQ(place(8, 128, 0).ranks, 16) << "15 may share the forces";
}

// Each was tried with GROMACS 2022.5.
TEST(GromacsRanks, MdrunRefusesLargePrimeFactors) {
  for (const int ranks : {13, 17, 19, 22, 23, 31, 33, 76, 127}) EXPECT_FALSE(may_share_forces(ranks)) << ranks;
  for (const int ranks : {1, 7, 11, 12, 16, 18, 20, 24, 100, 126}) EXPECT_TRUE(may_share_forces(ranks)) << ranks;
  EXPECT_TRUE(may_share_forces(49));
  EXPECT_FALSE(places_itself(49)) << "no number of ranks with PME alone suits it";
}

TEST(GromacsRanks, OneProcessLeavesOutAsFewThreadsAsItCan) {
  const auto of = [](std::int64_t threads) { return joined(threads_of_one_process(threads)); };
  EXPECT_EQ(of(1), "-nt 1");
  EXPECT_EQ(of(16), "-nt 16");
  EXPECT_EQ(of(64), "-nt 64");
  EXPECT_EQ(of(13), "-ntmpi 1 -ntomp 13") << "as mdrun itself does on most processors";
  EXPECT_EQ(of(17), "-nt 16");
  EXPECT_EQ(of(23), "-nt 21");
  EXPECT_EQ(of(31), "-nt 30");
  EXPECT_EQ(of(76), "-nt 75");
  EXPECT_EQ(of(127), "-nt 126");
}

TEST(GromacsRanks, OfAnMpirunSomeDoPmeAloneWhereMdrunFindsNoPlacement) {
  for (const int ranks : {1, 2, 16, 18, 64, 128, 152, 248}) EXPECT_EQ(pme_ranks(ranks, 8), 0) << ranks;
  EXPECT_EQ(pme_ranks(17, 8), 5);
  EXPECT_EQ(pme_ranks(31, 8), 6);
  EXPECT_EQ(pme_ranks(76, 8), 16);
  EXPECT_EQ(pme_ranks(127, 8), 27);
  EXPECT_EQ(pme_ranks(8 * 127, 8), 216) << "800 + 216 share the factor 8";
  EXPECT_EQ(pme_ranks(2 * 127, 8), 30) << "more have no room on the grid";
  for (std::int64_t ranks = 1; ranks <= 3000; ++ranks) {
    const auto pme = pme_ranks(ranks, 8);
    EXPECT_TRUE(pme > 0 ? may_share_forces(ranks - pme) : places_itself(ranks)) << ranks;
  }
}

TEST(GromacsInput, TheBoxIsWhatItsTopologySays) {
  EXPECT_EQ(atoms(17), 3'183'624);
  EXPECT_NE(topology(8).find("SOL 110592\n"), std::string::npos);
  EXPECT_NE(parameters(100).find("nstlist = 100\n"), std::string::npos);
}

}  // namespace
}  // namespace assay::gromacs
