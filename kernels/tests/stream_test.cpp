#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>

#include "common/document.hpp"
#include "stream/kernels.hpp"
#include "stream/places.hpp"
#include "stream/report.hpp"

namespace assay::stream {
namespace {

class StreamKernels : public testing::TestWithParam<Stores> {
 protected:
  static constexpr std::size_t kElements = 8 * 1001;  // does not divide evenly among threads
  StreamKernels() {
    for (auto& array : memory_) array.reset(static_cast<double*>(std::aligned_alloc(64, kElements * sizeof(double))));
    arrays_ = {memory_[0].get(), memory_[1].get(), memory_[2].get(), kElements};
    initialise(arrays_);
  }
  void round(int times) {
    for (int i = 0; i < times; ++i) {
      for (const auto& info : kKernels) {
        run(info.kernel, GetParam(), arrays_);
        expected_.apply(info.kernel);
      }
    }
  }
  struct Free {
    void operator()(double* array) const { std::free(array); }
  };
  std::unique_ptr<double, Free> memory_[3];
  Arrays arrays_{};
  Expected expected_;
};

TEST_P(StreamKernels, EveryElementHoldsWhatTheScalarsSay) {
  round(20);
  EXPECT_LE(worst_relative_error(arrays_, expected_), 1e-15);
  EXPECT_NEAR(expected_.a, 1, 1e-12) << "a round leaves a as it was, so that nothing can overflow";
}

TEST_P(StreamKernels, EachKernelDoesItsOwnOperation) {
  const double a = 1, b = 2;
  run(Kernel::Copy, GetParam(), arrays_);
  EXPECT_EQ(arrays_.c[kElements - 1], a);
  run(Kernel::Add, GetParam(), arrays_);
  EXPECT_EQ(arrays_.c[kElements - 1], a + b);
  run(Kernel::Scale, GetParam(), arrays_);
  EXPECT_EQ(arrays_.b[kElements - 1], kScalar * (a + b));
  run(Kernel::Triad, GetParam(), arrays_);
  EXPECT_DOUBLE_EQ(arrays_.a[kElements - 1], kScalar * (a + b) + kScalar * (a + b));
}

TEST_P(StreamKernels, OneWrongElementIsFound) {
  round(2);
  for (double* array : {arrays_.a, arrays_.b, arrays_.c}) {
    const double right = array[kElements - 1];
    array[kElements - 1] = right * (1 + 1e-12);
    EXPECT_GT(worst_relative_error(arrays_, expected_), 1e-13);
    array[kElements - 1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_GT(worst_relative_error(arrays_, expected_), 1);
    array[kElements - 1] = right;
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, StreamKernels, testing::Values(Stores::Regular, Stores::NonTemporal),
                         [](const auto& info) { return info.param == Stores::Regular ? "Regular" : "NonTemporal"; });

TEST(StreamPlan, OneDomainIsOneRun) {
  const auto runs = plan(Topology("pack:1 numa:1 core:4 pu:2"), 0);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].at, "node");
  EXPECT_TRUE(runs[0].memory.has_value()) << "a node with one domain is bound to it";
}

TEST(StreamPlan, RemoteRunsAreEveryOrderedPair) {
  const auto runs = plan(Topology("pack:2 numa:2 core:2 pu:1"), 0);
  std::size_t remote = 0;
  for (const auto& run : runs) remote += run.remote ? 1 : 0;
  EXPECT_EQ(remote, 12u);
  EXPECT_EQ(runs.size(), 1u + 2 + 4 + 12);
  EXPECT_EQ(runs.back().at, "numa2->numa3");
  EXPECT_EQ(runs.back().threads.name, "numa2");
  EXPECT_EQ(runs.back().memory->name, "numa3");
  EXPECT_FALSE(runs.front().memory.has_value()) << "the node's threads keep their own memory";
}

TEST(StreamPlan, ArraysAreFourTimesTheCacheOfThePlace) {
  const Topology topology("pack:2 numa:1 l3:1(size=256MB) core:2 pu:1");
  const auto runs = plan(topology, 0);
  EXPECT_EQ(runs[0].array_bytes, 4 * topology.node().last_level_cache_bytes);
  EXPECT_EQ(runs[1].array_bytes, runs[0].array_bytes / 2);
  EXPECT_EQ(plan(Topology("pack:1 core:1 pu:1"), 0)[0].array_bytes, kLeastArrayBytes);
  EXPECT_EQ(plan(topology, 1000)[0].array_bytes, 960) << "whole cache lines";
}

// The runner hands the document on as gzip and base64 in at most 4096 bytes.
TEST(StreamReport, EightDomainsFitIntoATerminationMessage) {
  Document doc("stream", "v1.2.3-45-g0123456789ab");
  std::srand(1);
  for (const auto& run : plan(Topology("pack:2 numa:4 core:2 pu:1"), 0)) {
    Sampled sampled{StoppingRule(20, 20, 0, 1000), {}, 0};
    for (int i = 0; i < 20; ++i) {
      for (const auto& info : kKernels) {
        if (!run.remote || info.kernel == Kernel::Triad) {
          sampled.rates[info.kernel].push_back(400 + std::rand() * 200.0 / RAND_MAX);
        }
      }
      sampled.rule.add(500, 0.1);
    }
    report(run, sampled, doc);
  }
  const std::string file = testing::TempDir() + "stream-document.json";
  std::ofstream out(file);
  EXPECT_EQ(doc.finish(out), 0);
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("gzip -9 -c " + file + " | base64 -w0 | wc -c").c_str(), "r"), pclose);
  int bytes = 0;
  ASSERT_EQ(std::fscanf(pipe.get(), "%d", &bytes), 1);
  EXPECT_GT(bytes, 1000);
  EXPECT_LE(bytes, 4096);
}

}  // namespace
}  // namespace assay::stream
