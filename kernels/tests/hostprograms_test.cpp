// What storage, stressng and hpcchallenge ask other programs for, and what they read of stressng's answers.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/program.hpp"
#include "hpcchallenge/input.hpp"
#include "storage/plan.hpp"
#include "stressng/report.hpp"

namespace assay {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(Storage, TakesHalfOfWhatIsFreeAtMost) {
  EXPECT_EQ(storage::file_bytes(4 * kGiB, 100 * kGiB, 200 * kGiB, 0.2), 4 * kGiB);
  EXPECT_EQ(storage::file_bytes(4 * kGiB, kGiB + 3, 2 * kGiB, 0.2), kGiB / 4) << "256 MiB of the half are verified";
  EXPECT_EQ(storage::file_bytes(4 * kGiB, kGiB / 4, kGiB / 4, 0.2), kGiB / 16);
  EXPECT_THROW(storage::file_bytes(4 * kGiB, 20 << 20, 20 << 20, 0.2), CannotRun);
  EXPECT_THROW(storage::file_bytes(4 * kGiB, 0, kGiB, 0.2), CannotRun);
}

// A kubelet whose disk has less than 15 % free removes images and evicts the pods of others.
TEST(Storage, LeavesAFifthOfTheFileSystemFree) {
  EXPECT_EQ(storage::file_bytes(4 * kGiB, 22 * kGiB, 100 * kGiB, 0.2), 2 * kGiB - kGiB / 4);
  EXPECT_THROW(storage::file_bytes(4 * kGiB, 20 * kGiB, 100 * kGiB, 0.2), CannotRun);
  EXPECT_THROW(storage::file_bytes(4 * kGiB, 12 * kGiB, 100 * kGiB, 0.2), CannotRun);
  EXPECT_EQ(storage::file_bytes(4 * kGiB, 12 * kGiB, 100 * kGiB, 0), 4 * kGiB) << "no file system of a kubelet";
}

// fio only reserves a file that it writes for a time, and what was never written is read at the speed of memory.
TEST(Storage, ReadsOnlyWhatWasWritten) {
  const auto words = storage::fio("/tmp/r", kGiB, 2.5);
  const auto first = std::find(words.begin(), words.end(), "--name=sequentialWrite"), next = std::find(words.begin(), words.end(), "--name=sequentialRead");
  EXPECT_EQ(std::count(first, next, "--overwrite=1"), 1);
}

TEST(Storage, MeasuresOneThingAfterTheOther) {
  const auto words = storage::fio("/tmp/r", kGiB, 2.5);
  EXPECT_EQ(std::count(words.begin(), words.end(), "--stonewall"), 4) << "each measurement waits for what went before";
  EXPECT_EQ(std::count(words.begin(), words.end(), "--runtime=2500ms"), 4);
  EXPECT_EQ(std::count(words.begin(), words.end(), "--verify=crc32c"), 1);
  EXPECT_EQ(std::count_if(words.begin(), words.end(), [](const std::string& word) { return word.rfind("--directory", 0) == 0; }), 0)
      << "fio takes a colon in the name of a folder for the end of it, and would write into another one";
  for (const auto& word : words) {
    if (word.rfind("--filename=", 0) == 0) { EXPECT_EQ(word.find('/'), std::string::npos) << word << " is in another folder"; }
  }
}

const char* const kMetricsText =
    "system-info:\n      hostname: x\n\nmetrics:\n"
    "    - stressor: cpu\n      bogo-ops: 640\n      bogo-ops-per-second-usr-sys-time: 2067.390469\n      bogo-ops-per-second-real-time: 213.183199\n\n"
    "    - stressor: vm\n      bogo-ops: 1830\n      bogo-ops-per-second-real-time: 600.312305\n\n...\n";

TEST(StressNg, ReportsTheRateOfTheStressorAskedFor) {
  EXPECT_DOUBLE_EQ(stressng::rate_of(kMetricsText, "cpu").value_or(0), 213.183199);
  EXPECT_DOUBLE_EQ(stressng::rate_of(kMetricsText, "vm").value_or(0), 600.312305);
  EXPECT_FALSE(stressng::rate_of(kMetricsText, "matrix").has_value());
  EXPECT_FALSE(stressng::rate_of("    - stressor: cpu\n      bogo-ops-per-second-real-time: nan\n", "cpu").has_value());
  EXPECT_FALSE(stressng::rate_of("    - stressor: vm\n      bogo-ops-per-second-real-time: 0.000000\n", "vm").has_value()) << "nothing was verified";
  EXPECT_FALSE(stressng::rate_of("", "cpu").has_value());
}

// Over half of 512 GiB, most patterns would not even begin.
TEST(StressNg, PatternsGetNoMoreMemoryThanTheyGetThrough) {
  EXPECT_EQ(stressng::pattern_bytes(64, 15, 256 * kGiB), 64 * 15 * (kGiB >> 10));
  EXPECT_EQ(stressng::pattern_bytes(2, 86400, kGiB), kGiB) << "all that is tested";
}

TEST(StressNg, CountsTheBytesOfItsPassOfZerosAndOnes) {
  EXPECT_EQ(stressng::bytes_passed("    - stressor: vm\n      bogo-ops: 32768\n"), kGiB / 2) << "as seen with two workers on 512 MiB";
  EXPECT_EQ(stressng::bytes_passed("    - stressor: vm\n      bogo-ops: 0\n"), 0);
  EXPECT_EQ(stressng::bytes_passed(""), 0);
}

TEST(StressNg, MissesWhatAWorkerDidNotGoOver) {
  EXPECT_TRUE(stressng::went_over_all(kGiB, 4, kGiB));
  EXPECT_TRUE(stressng::went_over_all(kGiB - 4 * 80 * 1024, 4, kGiB)) << "the rounding of each";
  EXPECT_FALSE(stressng::went_over_all(kGiB * 3 / 4, 4, kGiB)) << "one of four was killed";
  EXPECT_FALSE(stressng::went_over_all(0, 4, kGiB));
}

// What it is given is what a pass is held against.
TEST(StressNg, GetsWholeSecondsAndOneAtLeast) {
  EXPECT_EQ(stressng::timeout_seconds(0.25), 1);
  EXPECT_EQ(stressng::timeout_seconds(2.4), 2);
  EXPECT_EQ(stressng::timeout_seconds(2.6), 3);
  const auto words = stressng::zeros_and_ones(4, 0.5, kGiB);
  EXPECT_EQ(std::count(words.begin(), words.end(), "1s"), 1);
}

TEST(StressNg, FindsWhatFailed) {
  const std::string log =
      "stress-ng: info:  [5] dispatching hogs: 2 cpu\n"
      "stress-ng: fail:  [7] cpu: float math error, sum was 1.0, should be 2.0\n"
      "stress-ng: fail:  [8] vm: detected 3 bit errors\n";
  EXPECT_EQ(stressng::failures_in(log, 5), (std::vector<std::string>{"cpu: float math error, sum was 1.0, should be 2.0", "vm: detected 3 bit errors"}));
  EXPECT_EQ(stressng::failures_in(log, 1).size(), 1u);
  EXPECT_TRUE(stressng::failures_in("stress-ng: info:  [5] failed: 0\n", 5).empty());
}

TEST(StressNg, VerifiesEverything) {
  for (const auto& words : {stressng::processors(4, 30), stressng::zeros_and_ones(4, 30, kGiB), stressng::patterns(4, 30, kGiB)}) {
    EXPECT_EQ(std::count(words.begin(), words.end(), "--verify"), 1);
    EXPECT_EQ(std::count(words.begin(), words.end(), "30s"), 1);
  }
}

// hpcc reads PTRANS's part by the numbers of its lines.
TEST(HpcChallenge, AsksPtransForNothingMoreAtTheEnd) {
  const std::string text = hpcchallenge::input_file({1000, 128, {1, 2}});
  EXPECT_EQ(text.rfind("HPL input file\n", 0), 0u);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 36);
}

}  // namespace
}  // namespace assay
