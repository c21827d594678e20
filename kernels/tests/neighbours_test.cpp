// Who disturbed a measurement, told from made-up readings of the driver.
#include "common/cuda/neighbours.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "burn/memory.hpp"
#include "common/cuda/counters.hpp"
#include "common/cuda/on_all.hpp"
#include "common/program.hpp"

namespace assay::cuda {
namespace {

constexpr unsigned kOwn = 100;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// As an H200 answers: 8 MiB of the memory belong to nobody.
Occupancy seen(std::vector<GpuProcess> processes, std::uint64_t hidden = 0) {
  std::uint64_t used = 8 * kMiB + hidden;
  for (const auto& process : processes) used += process.bytes.value_or(0);
  return {std::move(processes), used, {}};
}
GpuProcess own(std::uint64_t mebibytes = 6664) { return {kOwn, "gpustream", mebibytes * kMiB}; }
GpuProcess python(std::uint64_t mebibytes = 2470) { return {812, "python3", mebibytes * kMiB}; }

struct Told {
  std::string text;
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

Told told(const std::vector<Neighbours>& neighbours, Document& doc) {
  report_neighbours(neighbours, doc);
  doc.measurement("last", "W", Better::Lower).add("a", {1, 1, 0});
  std::ostringstream out;
  doc.finish(out);
  return {out.str()};
}

Told told(const Neighbours& neighbours) {
  Document doc("x", "1");
  return told({neighbours}, doc);
}

TEST(Neighbours, AloneIsUndisturbedAndSaysNothing) {
  Neighbours alone("gpu0", kOwn, seen({}));
  for (const std::uint64_t mebibytes : {520, 6664, 900, 6664}) alone.look(seen({own(mebibytes)}));
  EXPECT_FALSE(alone.is_shared()) << "nobody to wait for";
  const auto doc = told(alone);
  EXPECT_TRUE(doc.has(R"({"name":"undisturbed","ok":true})")) << doc.text;
  EXPECT_FALSE(doc.has("notes")) << doc.text;
}

TEST(Neighbours, WhoKeepsTheRestingGpuBusyIsNamed) {
  Neighbours beside("gpu1", kOwn, seen({python()}));
  beside.look(seen({own(), python()}));
  ASSERT_TRUE(beside.is_shared());
  beside.rested(5);
  const auto doc = told(beside);
  EXPECT_TRUE(doc.has(R"("ok":false,"message":"gpu1: python3 (pid 812) with 2470 MiB kept it busy 5 % of the time)")) << doc.text;
}

TEST(Neighbours, WhoOnlyHoldsMemoryIsNotedAndDoesNotDisturb) {
  Neighbours beside("gpu0", kOwn, seen({python()}));
  for (int i = 0; i < 10; ++i) beside.look(seen({own(), python()}));
  beside.rested(0);
  const auto doc = told(beside);
  EXPECT_TRUE(doc.has(R"({"name":"undisturbed","ok":true})")) << doc.text;
  EXPECT_TRUE(doc.has("gpu0: python3 (pid 812) with 2470 MiB was there and did not use it")) << doc.text;
}

TEST(Neighbours, WhoCameWentOrAllocatedUsedTheGpu) {
  Neighbours came("gpu0", kOwn, seen({}));
  came.look(seen({own()}));
  came.look(seen({own(), python()}));
  EXPECT_TRUE(told(came).has("python3 (pid 812) with 2470 MiB started during the measurement"));

  Neighbours went("gpu0", kOwn, seen({python()}));
  went.look(seen({own(), python()}));
  went.look(seen({own()}));
  EXPECT_FALSE(went.is_shared());
  EXPECT_TRUE(told(went).has("python3 (pid 812) with 2470 MiB ended during the measurement"));

  Neighbours grew("gpu0", kOwn, seen({python(520)}));
  grew.look(seen({own(), python(520)}));
  grew.look(seen({own(), python(1544)}));
  EXPECT_TRUE(told(grew).has("python3 (pid 812) with 1544 MiB allocated memory during the measurement"));
}

TEST(Neighbours, WhoEndedBeforeTheMeasurementDoesNotCount) {
  Neighbours before("gpu0", kOwn, seen({python()}));
  before.look(seen({own()}));
  EXPECT_TRUE(told(before).has(R"({"name":"undisturbed","ok":true})"));
}

TEST(Neighbours, WhatTheContainerCannotSeeIsFoundByItsMemory) {
  Neighbours hidden("gpu0", kOwn, seen({}, 1550 * kMiB));
  EXPECT_TRUE(hidden.is_shared());
  hidden.look(seen({own()}, 1550 * kMiB));
  EXPECT_TRUE(hidden.is_shared());
  hidden.rested(30);
  const auto doc = told(hidden);
  EXPECT_TRUE(doc.has("gpu0: a process that cannot be seen from this container with 1558 MiB kept it busy 30 %")) << doc.text;
}

// The driver gives the host's pids of processes outside, among those that used the GPU.
TEST(Neighbours, WhoWorksOutsideTheContainerIsNamedByItsPidOnTheHost) {
  const auto busy = [](Occupancy occupancy, std::set<unsigned> pids) {
    occupancy.at_work = std::move(pids);
    return occupancy;
  };
  Neighbours hidden("gpu0", kOwn, seen({}, 1550 * kMiB));
  hidden.look(busy(seen({own(), python()}, 1550 * kMiB), {kOwn, 812, 40711}));
  hidden.look(busy(seen({own()}, 1550 * kMiB), {kOwn, 812, 40711}));  // python3 has ended, and is no stranger for that
  hidden.rested(5);
  const auto doc = told(hidden);
  EXPECT_TRUE(doc.has("a process outside this container (pid 40711 on the host) with 1558 MiB")) << doc.text;

  hidden.look(busy(seen({own()}, 1550 * kMiB), {9001, 9002, 9003}));
  EXPECT_TRUE(told(hidden).has("processes outside this container (pids 9001, 9002, 9003 and 1 more on the host)"));
  EXPECT_EQ(holders(busy(seen({own()}, 1550 * kMiB), {kOwn, 40711}), kOwn), "a process outside this container (pid 40711 on the host) holds 1558 MiB");
}

TEST(Neighbours, OneReadingOfTooMuchMemoryIsOurOwnAllocation) {
  Neighbours alone("gpu0", kOwn, seen({}));
  for (const std::uint64_t hidden : {0, 0, 6144, 0, 0}) alone.look(seen({own()}, hidden * kMiB));
  EXPECT_TRUE(told(alone).has(R"({"name":"undisturbed","ok":true})"));
}

TEST(Neighbours, HiddenMemoryThatStaysAndGoesIsAProcess) {
  Neighbours other("gpu0", kOwn, seen({}, 6000 * kMiB));
  for (const std::uint64_t hidden : {6000, 6000, 6000, 0, 0}) other.look(seen({own()}, hidden * kMiB));
  EXPECT_TRUE(told(other).has("ended during the measurement"));
}

TEST(Neighbours, HiddenMemoryThatSwingsAboutTheLeastIsNoMovement) {
  Neighbours swinging("gpu0", kOwn, seen({}, 112 * kMiB));
  for (const std::uint64_t hidden : {114, 117, 122, 122, 121}) swinging.look(seen({own()}, hidden * kMiB));
  const auto doc = told(swinging);
  EXPECT_TRUE(doc.has(R"({"name":"undisturbed","ok":true})")) << doc.text;
  EXPECT_TRUE(doc.has("cannot be seen from this container with 130 MiB was there and did not use it")) << doc.text;
}

TEST(Neighbours, HiddenMemoryThatComesIsAProcess) {
  Neighbours came("gpu0", kOwn, seen({}));
  for (const std::uint64_t hidden : {0, 0, 520, 520}) came.look(seen({own()}, hidden * kMiB));
  EXPECT_TRUE(told(came).has("with 528 MiB started during the measurement"));
}

// NCCL's buffers between two processes of a job: 200 MiB for 16 channels on two H200s.
TEST(Neighbours, MemoryThatAJobsProcessesShareIsNoProcess) {
  Neighbours sharing("gpu0", kOwn, seen({}), true);
  for (const std::uint64_t hidden : {0, 0, 0, 192, 192}) sharing.look(seen({own()}, hidden * kMiB));
  EXPECT_FALSE(sharing.is_shared());
  EXPECT_TRUE(told(sharing).has(R"({"name":"undisturbed","ok":true})"));
  Neighbours beside("gpu0", kOwn, seen({}, 1550 * kMiB), true);
  beside.look(seen({own()}, 1550 * kMiB));
  EXPECT_TRUE(beside.is_shared()) << "it was there before the job began";
  beside.rested(30);
  EXPECT_TRUE(told(beside).has("kept it busy 30 %"));
}

TEST(Neighbours, ProcessesWhoseMemoryIsNotToldHideNobody) {
  const GpuProcess untold{812, "python3", std::nullopt};
  Neighbours beside("gpu0", kOwn, seen({untold}, 2470 * kMiB));
  EXPECT_FALSE(beside.is_shared()) << "its memory is no hidden process's";
  for (int i = 0; i < 5; ++i) beside.look(seen({own(), untold}, 2470 * kMiB));
  EXPECT_TRUE(beside.is_shared());
  const auto doc = told(beside);
  EXPECT_TRUE(doc.has("gpu0: python3 (pid 812) was there and did not use it")) << doc.text;
  EXPECT_EQ(holders(seen({untold}, 2470 * kMiB), kOwn), "python3 (pid 812) holds memory, nobody says how much");
}

TEST(Neighbours, WhereEvenWeAreHiddenTheListSaysNothing) {
  Neighbours blind("gpu0", kOwn, seen({}));
  for (int i = 0; i < 5; ++i) blind.look(seen({}, 6664 * kMiB));
  EXPECT_FALSE(blind.is_shared()) << "the memory is our own";
  EXPECT_TRUE(told(blind).has(R"({"name":"undisturbed","ok":true})"));
}

TEST(Neighbours, TheServerThatSharesTheGpuOutIsNoNeighbour) {
  Neighbours shared("gpu0", kOwn, seen({}));
  shared.look(seen({own(), {7, "nvidia-cuda-mps", 30 * kMiB}}));
  EXPECT_FALSE(shared.is_shared());
}

TEST(Neighbours, ManyOutliersCountOnlyWhereSomebodyIsThere) {
  const auto measured = [](std::size_t outliers) {
    Document doc("x", "1");
    doc.measurement("m", "GB/s", Better::Higher).add("gpu0", {100, 60, 0.001, Distribution{60, 98, 101, outliers}});
    return doc;
  };
  Neighbours beside("gpu0", kOwn, seen({python()}));
  beside.look(seen({own(), python()}));
  Document many = measured(20);
  EXPECT_TRUE(told({beside}, many).has("was there while 20 of 60 samples are outliers"));
  Document few = measured(2);
  EXPECT_TRUE(told({beside}, few).has(R"({"name":"undisturbed","ok":true})"));
  Neighbours alone("gpu0", kOwn, seen({}));
  alone.look(seen({own()}));
  Document noisy = measured(20);
  EXPECT_TRUE(told({alone}, noisy).has(R"({"name":"undisturbed","ok":true})"));
}

// 60 samples of each GPU, of which so many are outliers.
Document measured_on(const std::vector<std::string>& parts, const std::vector<std::size_t>& outliers) {
  Document doc("x", "1");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    doc.measurement("m", "GB/s", Better::Higher).add(parts[i], {100, 60, 0.001, Distribution{60, 98, 101, outliers[i]}});
  }
  return doc;
}

Neighbours idle_beside(const std::string& gpu) {
  Neighbours idle(gpu, kOwn, seen({python()}));
  idle.look(seen({own(), python()}));
  return idle;
}

Neighbours alone_on(const std::string& gpu) {
  Neighbours alone(gpu, kOwn, seen({}));
  alone.look(seen({own()}));
  return alone;
}

// A sick gpu1 must not be excused by somebody who does nothing on gpu0.
TEST(Neighbours, OutliersOfAnotherGpuDoNotCount) {
  Document sick = measured_on({"gpu0", "gpu1"}, {0, 30});
  EXPECT_TRUE(told({idle_beside("gpu0"), alone_on("gpu1")}, sick).has(R"({"name":"undisturbed","ok":true})"));
}

TEST(Neighbours, OutliersOfOneGpuCountAmongManyQuietOnes) {
  Document one = measured_on({"gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7"}, {0, 0, 0, 28, 0, 0, 0, 0});
  EXPECT_TRUE(told({idle_beside("gpu3")}, one).has("gpu3: python3 (pid 812) with 2470 MiB was there while 28 of 60 samples are outliers"));
}

TEST(Neighbours, OutliersOfPairsAreThoseOfBothGpus) {
  Document pairs = measured_on({"gpu0->gpu1", "gpu2->gpu3", "gpu3<->gpu0"}, {0, 0, 20});
  EXPECT_TRUE(told({idle_beside("gpu3")}, pairs).has("while 20 of 120 samples"));
}

TEST(Neighbours, PartsThatNameNoGpuCountForEach) {
  Document sizes = measured_on({"8B", "8GiB", "2gpu"}, {0, 50, 0});
  EXPECT_TRUE(told({idle_beside("gpu0")}, sizes).has("while 50 of 180 samples"));
}

TEST(Neighbours, NothingIsClaimedWhereNothingCanBeRead) {
  EXPECT_FALSE(told(Neighbours("gpu0", kOwn, {})).has("undisturbed"));
}

Told fitted(const std::vector<MemoryOfGpu>& gpus, std::size_t asked, std::size_t& used) {
  Document doc("x", "1");
  used = fit_memory(gpus, {asked, 16 * kMiB}, equal_share(4), "arrays", doc);
  doc.measurement("m", "W", Better::Lower).add("a", {1, 1, 0});
  std::ostringstream out;
  doc.finish(out);
  return {out.str()};
}

TEST(FitMemory, EnoughIsComparable) {
  std::size_t used = 0;
  EXPECT_TRUE(fitted({{"gpu0", 139000 * kMiB, 143771 * kMiB, ""}}, 2048 * kMiB, used).has(R"({"name":"comparable","ok":true})"));
  EXPECT_EQ(used, 2048 * kMiB);
}

TEST(FitMemory, ShrunkForAHogIsNotAndNamesIt) {
  std::size_t used = 0;
  const auto doc = fitted({{"gpu0", 139000 * kMiB, 143771 * kMiB, ""}, {"gpu1", 2400 * kMiB, 143771 * kMiB, "python3 (pid 812) holds 140000 MiB"}},
                          2048 * kMiB, used);
  EXPECT_EQ(used, 600 * kMiB);
  EXPECT_TRUE(doc.has(R"("name":"comparable","ok":false,"message":"gpu1: arrays of 600 MiB fit, 2048 MiB were wanted: )"
                      R"(2400 of 143771 MiB are free, python3 (pid 812) holds 140000 MiB)"))
      << doc.text;
}

TEST(FitMemory, ASmallGpuOfOnesOwnIsComparable) {
  std::size_t used = 0;
  EXPECT_TRUE(fitted({{"gpu0", 5850 * kMiB, 6144 * kMiB, ""}}, 2048 * kMiB, used).has(R"({"name":"comparable","ok":true})"));
  EXPECT_EQ(used, 1462 * kMiB);
}

// The less a neighbour leaves, the less it may let the node pass.
TEST(FitMemory, AHogThatLeavesTooLittleToMeasureIsNamed) {
  std::size_t used = 0;
  try {
    fitted({{"gpu0", 40 * kMiB, 143771 * kMiB, "python3 (pid 812) holds 142000 MiB"}}, 2048 * kMiB, used);
    FAIL() << "10 MiB cannot be measured";
  } catch (const NotComparable& reason) {
    EXPECT_STREQ(reason.what(), "gpu0: arrays of 10 MiB fit, 2048 MiB were wanted: 40 of 143771 MiB are free, "
                                "python3 (pid 812) holds 142000 MiB; at least 16 MiB are needed");
  }
}

TEST(FitMemory, AGpuThatIsTooSmallEvenAloneCannotRun) {
  std::size_t used = 0;
  try {
    fitted({{"gpu0", 20 * kMiB, 60 * kMiB, "python3 (pid 812) holds 40 MiB"}}, 2048 * kMiB, used);
    FAIL() << "60 MiB do not do";
  } catch (const CannotRun& reason) {
    EXPECT_STREQ(reason.what(), "gpu0 is too small: arrays of 14 MiB fit into 60 MiB, at least 16 MiB are needed");
  }
}

// `burn` tests what is free: 0.2 % of an H200 beside a process that holds the rest is no test of its memory.
TEST(BurnMemory, AProcessThatHoldsTheMemoryMakesTheRunNoTest) {
  const std::size_t total = 143771 * kMiB;
  const auto fitted_beside = [&](std::size_t free, double fraction) {
    Document doc("burn", "1");
    fit_memory({{"gpu0", free, total, "python3 (pid 812) holds much"}}, burn::pattern_size(total, fraction, 8192), burn::pattern_share(fraction, 8192),
               "patterns", doc);
    return doc.complaint_of("comparable");
  };
  EXPECT_NE(fitted_beside(2400 * kMiB, 0.8).find("gpu0: patterns of 281 MiB fit, "), std::string::npos) << fitted_beside(2400 * kMiB, 0.8);
  EXPECT_NE(fitted_beside(0, 0.8).find("patterns of 0 MiB fit"), std::string::npos);
  EXPECT_EQ(fitted_beside(139000 * kMiB, 0.8), "") << "alone";
  EXPECT_EQ(fitted_beside(130000 * kMiB, 0.8), "") << "beside a small one";
  EXPECT_EQ(fitted_beside(2400 * kMiB, 0), "") << "nobody asked for a pattern";
}

TEST(OnAll, AFaultOfOneGpuIsNotHiddenByAHogOnAnother) {
  const auto work = [](std::size_t gpu) {
    if (gpu == 0) throw NotComparable("gpu0: out of memory");
    if (gpu == 2) throw HardwareFault("gpu2: uncorrectable ECC error");
  };
  EXPECT_THROW(on_all(3, work), HardwareFault);
  EXPECT_THROW(on_all(2, work), NotComparable);
}

TEST(Holders, AreListedByMemoryWithoutUs) {
  EXPECT_EQ(holders(seen({own(), python(100), {9, "", 300 * kMiB}}, 200 * kMiB), kOwn),
            "a process (pid 9) holds 300 MiB, a process that cannot be seen from this container holds 208 MiB, python3 (pid 812) holds 100 MiB");
  EXPECT_EQ(holders({}, kOwn), "");
}

TEST(ClockLimits, AreNamed) {
  EXPECT_EQ(clock_limit_names(0), "none");
  EXPECT_EQ(clock_limit_names(0x1), "none") << "an idle GPU is not held down";
  EXPECT_EQ(clock_limit_names(0x44), "power+thermalHardware");
}

}  // namespace
}  // namespace assay::cuda
