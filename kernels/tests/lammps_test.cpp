// LAMMPS' benchmark: its input, its log, and how far its energies may be from those of the logs that LAMMPS ships.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "lammps/cases.hpp"
#include "lammps/log.hpp"
#include "lammps/timed.hpp"

namespace assay::lammps {
namespace {

const Case& named(const std::string& name) {
  for (const auto& c : cases()) {
    if (c.name == name) return c;
  }
  throw std::out_of_range(name);
}

// As LAMMPS of 2022 wrote it on two ranks, without the lines that nobody reads: the table of the run of 1 x 1 x 1, then the measured run.
const std::string kLog = R"log(LAMMPS (29 Sep 2021 - Update 2)
print "assay case lj reference"
assay case lj reference
Step Temp E_pair E_mol TotEng Press
       0         1.44   -6.7733681            0   -4.6134356   -5.0197073
     100    0.7574531   -5.7585055            0   -4.6223613   0.20726105
Loop time of 1.22 on 2 procs for 100 steps with 32000 atoms
Pair    | 1          | 1          | 1          |   0.0 | 82.00
Comm    | 0.1        | 0.1        | 0.1        |   0.0 |  8.00
print "assay state $(temp:%.12g) $(pe:%.12g) $(etotal:%.12g)"
assay state 0.757453098 -5.75850547 -4.62236129
assay case lj measured
Loop time of 8.1 on 2 procs for 100 steps with 256000 atoms
Pair    | 7          | 7          | 7          |   0.0 | 83.00
Comm    | 0.4        | 0.4        | 0.4        |   0.0 |  5.00
assay state 0.759 -5.7607 -4.6223
Loop time of 10.5 on 2 procs for 125 steps with 256000 atoms
Pair    | 9          | 9          | 9          |   0.0 | 84.50
Comm    | 0.45       | 0.45       | 0.45       |   0.0 |  4.30
assay end
)log";

Log read_text(const std::string& text) {
  std::istringstream in(text);
  return read_log(in);
}

TEST(Lammps, ReadsStatesAndTheTimedLoop) {
  const Log log = read_text(kLog);
  EXPECT_EQ(log.version, "29 Sep 2021 - Update 2");
  EXPECT_EQ(log.ranks, 2);
  ASSERT_EQ(log.cases.size(), 1u);
  const Simulated& lj = log.cases[0];
  ASSERT_TRUE(lj.reference && lj.measured && lj.loop);
  EXPECT_DOUBLE_EQ(lj.reference->total, -4.62236129);
  EXPECT_DOUBLE_EQ(lj.measured->temperature, 0.759);
  EXPECT_EQ(lj.loop->steps, 125) << "the first 100 steps of the measured box are not counted";
  EXPECT_DOUBLE_EQ(lj.loop->pair_share.value(), 84.5);
  EXPECT_DOUBLE_EQ(lj.loop->communication_share.value(), 4.3);
}

TEST(Lammps, ACutLogHasWhatWasComplete) {
  for (std::size_t length = 0; length < kLog.size(); length += 7) {
    const Log log = read_text(kLog.substr(0, length));
    if (log.cases.empty()) continue;
    EXPECT_FALSE(log.cases[0].loop && length < kLog.find("assay end")) << "a loop that did not end is timed, after " << length << " bytes";
  }
  const std::string spoiled = kLog.substr(0, kLog.find("10.5 on")) + "x on 2 procs\nassay end\n";
  EXPECT_FALSE(read_text(spoiled).cases.at(0).loop);
}

TEST(Lammps, KnowsWhatALogSaysOfAFailure) {
  EXPECT_TRUE(blew_up(read_text("ERROR: Lost atoms: original 256000 current 255990 (src/thermo.cpp:481)\n").error));
  EXPECT_TRUE(blew_up(read_text("ERROR on proc 1: Bond atoms 4 5 missing on proc 1 at step 7\n").error));
  EXPECT_FALSE(blew_up(read_text("ERROR: Cannot open file data.rhodo: No such file or directory\n").error));
}

TEST(Lammps, EnergiesOfTheLogsPassAndOthersDoNot) {
  const Log log = read_text(kLog);
  const State& seen = *log.cases[0].reference;
  const Bound bound = bound_of(named("lj"), 2, false);
  EXPECT_LE(deviation(seen, bound.reference), bound.deviation);
  State wrong = seen;
  wrong.potential *= 1 + 1e-5;
  EXPECT_GT(deviation(wrong, bound.reference), bound.deviation) << "one part in 100,000 of the energy is seen";
  EXPECT_LE(deviation(wrong, bound.reference), bound_of(named("lj"), 2, true).deviation) << "and allowed where forces are of single precision";
  wrong.total = NAN;
  EXPECT_GT(deviation(wrong, bound.reference), kSameMaterial);
}

TEST(Lammps, NoiseOfTheRanksIsNoFault) {
  const Case& chain = named("chain");
  const State of_one = bound_of(chain, 1, false).reference, of_four = bound_of(chain, 4, false).reference;
  EXPECT_GT(deviation(of_one, of_four), bound_of(chain, 4, false).deviation) << "one rank and four draw different noise";
  EXPECT_LE(deviation(of_four, bound_of(chain, 7, false).reference), bound_of(chain, 7, false).deviation);
  EXPECT_GT(bound_of(chain, 4, true).deviation, bound_of(chain, 4, false).deviation) << "a GPU's order of atoms draws other noise";
}

TEST(Lammps, EachCaseIsVerifiedAndThenMeasured) {
  Options options;
  options.scale = 4;
  options.seconds = 7;
  const std::string all = driver(options);
  for (const auto& c : cases()) {
    const auto reference = all.find("assay case " + c.name + " reference"), measured = all.find("assay case " + c.name + " measured");
    ASSERT_NE(measured, std::string::npos) << c.name;
    EXPECT_LT(reference, measured);
    EXPECT_NE(all.find("include " + c.input), std::string::npos);
  }
  EXPECT_NE(all.find("timer timeout 7 "), std::string::npos);
  options.only = "rhodopsin";
  const std::string one = driver(options);
  EXPECT_EQ(one.find("in.lj"), std::string::npos);
  EXPECT_NE(one.find("variable x index 2\n"), std::string::npos) << "a protein's box is half as wide as asked for";
}

// Power is read beside LAMMPS, whose log comes too late to tell when a case was timed.
TEST(Lammps, MarksWhatItTimes) {
  Options options;
  EXPECT_EQ(driver(options).find("file"), std::string::npos) << "where nobody looks";
  const std::string text = driver(options, "/tmp/of lammps/timed");
  const auto begun = text.find("print \"eam\" file \"/tmp/of lammps/timed\" screen no\n"), timed = text.find("run 1000000000\n", begun);
  ASSERT_NE(begun, std::string::npos);
  EXPECT_EQ(text.rfind("assay state", timed), text.rfind("assay state", begun)) << "the first 100 steps are not timed";
  const std::string end = "run 1000000000\nprint \"nothing\" file \"/tmp/of lammps/timed\" screen no\ntimer timeout off\n";
  EXPECT_EQ(text.substr(timed, end.size()), end);
}

TEST(Lammps, KnowsForHowLongACaseWasTimed) {
  Timed timed;
  EXPECT_FALSE(timed.look("", 1)) << "there is no file yet";
  EXPECT_FALSE(timed.look("lj", 2));
  EXPECT_FALSE(timed.look("", 3)) << "the file is just being written";
  EXPECT_FALSE(timed.look("lj", 4));
  const auto over = timed.look(kNothingTimed, 12);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->name, "lj");
  EXPECT_EQ(over->seconds, 10);
  EXPECT_FALSE(timed.look("eam", 13));
  const auto other = timed.look("chain", 20);
  ASSERT_TRUE(other) << "two looks may miss what lies between two cases";
  EXPECT_EQ(other->name, "eam");
}

TEST(Lammps, RanksFollowCoresAndGpus) {
  Options options;
  EXPECT_EQ(ranks_for(options, 64, 0), 64);
  EXPECT_EQ(ranks_for(options, 32, 1), 16);
  EXPECT_EQ(ranks_for(options, 24, 8), 24);
  EXPECT_EQ(ranks_for(options, 4, 8), 8) << "every GPU has a rank";
  options.ranks = 3;
  EXPECT_EQ(ranks_for(options, 64, 2), 3);
}

}  // namespace
}  // namespace assay::lammps
