// The parts of the GPU programs that decide without a GPU: formulas, plans, reports, and the size of their documents.
#include <gtest/gtest.h>
#ifdef ASSAY_HAVE_ZLIB
#include <zlib.h>
#endif

#include <cmath>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/operation.hpp"
#include "common/cuda/counters.hpp"
#include "common/document.hpp"
#include "gemm/precision.hpp"
#include "gpustream/traffic.hpp"
#include "hpl-gpu/document.hpp"
#include "p2p/pairs.hpp"
#include "p2p/report.hpp"

namespace {

namespace hplgpu = assay::hplgpu;

using assay::Better;
using assay::Document;
using assay::Summary;

TEST(P2pPairs, PairsOfARoundAreInTheOrderOfTheirGpus) {
  const auto rounds = assay::p2p::disjoint_matchings(4);
  ASSERT_EQ(rounds.size(), 3U);
  EXPECT_EQ(rounds[0], (std::vector<assay::p2p::Pair>{{0, 3}, {1, 2}}));
  EXPECT_EQ(rounds[1], (std::vector<assay::p2p::Pair>{{0, 2}, {1, 3}}));
  EXPECT_EQ(rounds[2], (std::vector<assay::p2p::Pair>{{0, 1}, {2, 3}}));
}

TEST(P2pPairs, OneGpuHasNoPartner) {
  EXPECT_TRUE(assay::p2p::disjoint_matchings(1).empty());
  EXPECT_TRUE(assay::p2p::ordered_pairs(1).empty());
}

TEST(P2pPairs, OrderedAndUnorderedPairsAreComplete) {
  EXPECT_EQ(assay::p2p::ordered_pairs(8).size(), 56U);
  EXPECT_EQ(assay::p2p::unordered_pairs(8).size(), 28U);
  EXPECT_EQ(assay::p2p::directed({0, 7}), "gpu0->gpu7");
  EXPECT_EQ(assay::p2p::both_ways({0, 7}), "gpu0<->gpu7");
}

std::string printed(Document& doc) {
  std::ostringstream out;
  doc.finish(out);
  return out.str();
}

TEST(P2pReport, ManyGpusGiveTheWorstPairOfEachInSecondaryModes) {
  EXPECT_TRUE(assay::p2p::is_in_full(assay::p2p::Rank::Secondary, 4));
  EXPECT_FALSE(assay::p2p::is_in_full(assay::p2p::Rank::Secondary, 8));
  EXPECT_TRUE(assay::p2p::is_in_full(assay::p2p::Rank::Primary, 8));
  Document doc("p2p", "1");
  const assay::p2p::Results results{{{0, 1}, {390, 6, 0}}, {{0, 2}, {195, 6, 0}}, {{1, 0}, {391, 6, 0}}};
  assay::p2p::add_results(doc.measurement("up", "GB/s", Better::Higher), Better::Higher, false, results, assay::p2p::directed);
  assay::p2p::add_results(doc.measurement("down", "us", Better::Lower), Better::Lower, false, results, assay::p2p::directed);
  const std::string text = printed(doc);
  EXPECT_NE(text.find(R"("name":"up","unit":"GB/s","better":"higher","parts":[{"at":"gpu0","value":195.0,)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("name":"down","unit":"us","better":"lower","parts":[{"at":"gpu0","value":390.0,)"), std::string::npos) << text;
}

TEST(P2pReport, ManyPairsAreShortened) {
  const Summary shortened = assay::p2p::shortened({395.7154, 6, 0.00042});
  EXPECT_DOUBLE_EQ(shortened.value, 395.7);
  EXPECT_DOUBLE_EQ(shortened.spread, 0.0004);
  EXPECT_EQ(shortened.samples, 6U);
}

TEST(Collectives, BusBandwidthFollowsNcclsFormulas) {
  using assay::collectives::bus_factor;
  using assay::collectives::Operation;
  struct Case {
    Operation operation;
    int ranks;
    double factor;
  };
  const std::vector<Case> cases{{Operation::AllReduce, 2, 1.0},      {Operation::AllReduce, 4, 1.5},
                                {Operation::AllReduce, 8, 1.75},     {Operation::AllGather, 4, 0.75},
                                {Operation::ReduceScatter, 8, 0.875}, {Operation::AllToAll, 4, 0.75},
                                {Operation::SendRecv, 4, 1.0},       {Operation::Broadcast, 8, 1.0}};
  for (const auto& each : cases) {
    EXPECT_DOUBLE_EQ(bus_factor(each.operation, each.ranks), each.factor)
        << assay::collectives::name_of(each.operation) << " on " << each.ranks;
  }
  EXPECT_DOUBLE_EQ(assay::collectives::algorithm_bandwidth(8e9, 0.04), 200);
}

TEST(Collectives, SizesAreWholeElementsInEveryShare) {
  using assay::collectives::Operation;
  using assay::collectives::usable_bytes;
  EXPECT_EQ(usable_bytes(Operation::AllReduce, 10, 8, 4), 8U);
  EXPECT_EQ(usable_bytes(Operation::AllGather, 100, 8, 4), 96U);
  EXPECT_EQ(usable_bytes(Operation::AllGather, 8, 8, 4), 32U);
  EXPECT_EQ(assay::collectives::size_name(8), "8B");
  EXPECT_EQ(assay::collectives::size_name(65536), "64KiB");
  EXPECT_EQ(assay::collectives::size_name(8UL << 30), "8GiB");
  EXPECT_EQ(assay::collectives::size_name(1000), "1000B");
}

TEST(Collectives, RanksSendDifferentDataAndSumsAreExactInFp32) {
  std::set<std::uint32_t> values;
  for (int rank = 0; rank < 16; ++rank) values.insert(assay::collectives::rank_value(rank));
  EXPECT_GE(values.size(), 15U);
  constexpr int kManyRanks = 65536;
  const double largest = kManyRanks * static_cast<double>(assay::collectives::kIndexValues - 1) +
                         static_cast<double>(assay::collectives::rank_values_sum(kManyRanks));
  EXPECT_LT(largest, std::ldexp(1.0, 24));
}

TEST(Gemm, OperationsAndPeaks) {
  using namespace assay::gemm;
  EXPECT_DOUBLE_EQ(operations(8192), 1099511627776.0);
  // An H200's data sheet: 67 TFLOP/s in FP64 and FP32 at 1980 MHz, 989.5 in BF16 at 1830 MHz.
  EXPECT_NEAR(peak_tflops(*operations_per_clock(Precision::Fp64, 9, 0), 132, 1980), 66.9, 0.1);
  EXPECT_NEAR(peak_tflops(*operations_per_clock(Precision::Fp32, 9, 0), 132, 1980), 66.9, 0.1);
  EXPECT_NEAR(peak_tflops(*operations_per_clock(Precision::Bf16, 9, 0), 132, 1830), 989.5, 0.5);
  // A V100's: 7.8 and 15.7 and 125 at 1530 MHz; an A100's: 19.5 and 312 at 1410 MHz.
  EXPECT_NEAR(peak_tflops(*operations_per_clock(Precision::Fp64, 7, 0), 80, 1530), 7.8, 0.05);
  EXPECT_NEAR(peak_tflops(*operations_per_clock(Precision::Fp64, 8, 0), 108, 1410), 19.5, 0.05);
  EXPECT_FALSE(operations_per_clock(Precision::Bf16, 7, 0).has_value());
  EXPECT_FALSE(operations_per_clock(Precision::Fp64, 99, 0).has_value());
  EXPECT_FALSE(is_supported(Precision::Fp8, 8, 0));
  EXPECT_TRUE(is_supported(Precision::Fp8, 8, 9));
  for (const auto precision : kPrecisions) EXPECT_EQ(precision_of(name_of(precision)), precision);
}

TEST(GpuStream, BytesAreCountedAsStreamCountsThem) {
  using namespace assay::gpustream;
  EXPECT_EQ(bytes_moved(Kernel::Copy, 8), 16U);
  EXPECT_EQ(bytes_moved(Kernel::Mul, 8), 16U);
  EXPECT_EQ(bytes_moved(Kernel::Add, 8), 24U);
  EXPECT_EQ(bytes_moved(Kernel::Triad, 8), 24U);
  EXPECT_EQ(bytes_moved(Kernel::Dot, 8), 16U);
  EXPECT_EQ(metric_name(Kernel::Triad, Precision::Fp64), "hbmTriad");
  EXPECT_EQ(metric_name(Kernel::Dot, Precision::Fp32), "hbmDotFp32");
  EXPECT_NEAR(memory_peak_gbps(2619, 5120), 3352, 1);  // an H100
}

TEST(Counters, ChangesBecomeChecksAndNotes) {
  assay::cuda::CounterChange change{"gpu2", {}, {}, 10.0};
  change.before.ecc_uncorrected = 3;
  change.after.ecc_uncorrected = 4;
  change.after.row_remap_failed = 0;
  change.before.pcie_replays = 5;
  change.after.pcie_replays = 7;
  change.before.power_cap_ns = 0;
  change.after.power_cap_ns = 4'000'000'000;
  change.before.nvlink_errors = 9;  // fell: someone reset it
  change.after.nvlink_errors = 0;
  Document doc("x", "1");
  doc.measurement("m", "GB/s", Better::Higher).add("gpu2", {1, 1, 0});
  assay::cuda::report_changes({change}, doc);
  const std::string text = printed(doc);
  EXPECT_NE(text.find(R"({"name":"eccUncorrected","ok":false,"message":"gpu2: 1 uncorrected memory errors during the run"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"name":"rowRemap","ok":true})"), std::string::npos) << text;
  EXPECT_NE(text.find("gpu2: 2 PCIe replays"), std::string::npos) << text;
  EXPECT_NE(text.find("gpu2: clock held down by the power limit 40 % of the time"), std::string::npos) << text;
  EXPECT_EQ(text.find("NVLink"), std::string::npos) << text;
}

TEST(Counters, NothingIsClaimedWhereNothingIsCounted) {
  Document doc("x", "1");
  doc.measurement("m", "GB/s", Better::Higher).add("gpu0", {1, 1, 0});
  assay::cuda::report_changes({{"gpu0", {}, {}, 1.0}}, doc);
  EXPECT_EQ(printed(doc).find("eccUncorrected"), std::string::npos);
  EXPECT_EQ(assay::cuda::join_readings({1980.4, std::nullopt}), "1980,-");
}

TEST(Counters, MemoryThatSomethingElseHoldsIsNamed) {
  constexpr std::size_t kGibibyte = std::size_t{1} << 30;
  Document doc("x", "1");
  doc.measurement("m", "GB/s", Better::Higher).add("gpu0", {1, 1, 0});
  assay::cuda::report_memory("gpu0", 139 * kGibibyte, 140 * kGibibyte, doc);
  assay::cuda::report_memory("gpu1", 2 * kGibibyte, 140 * kGibibyte, doc);
  const std::string text = printed(doc);
  EXPECT_EQ(text.find("gpu0: only"), std::string::npos) << text;
  EXPECT_NE(text.find("gpu1: only 2048 of 143360 MiB of its memory were free at the start"), std::string::npos) << text;
}

// What the runner makes of a document: gzip, then base64.
#ifdef ASSAY_HAVE_ZLIB
std::size_t compressed_size(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
  std::vector<unsigned char> out(deflateBound(&stream, text.size()));
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<unsigned>(out.size());
  deflate(&stream, Z_FINISH);
  const std::size_t bytes = stream.total_out;
  deflateEnd(&stream);
  return (bytes + 2) / 3 * 4;
}
#else
std::size_t compressed_size(const std::string&) { return 0; }
#endif

// Documents of eight GPUs with noisy values, as the programs write them.
class EightGpus : public ::testing::Test {
 protected:
  static constexpr int kGpus = 8;
  // The container's termination message has 4096 bytes; the runner's own findings need some of them.
  static constexpr std::size_t kRoom = 3600;

  void SetUp() override {
#ifndef ASSAY_HAVE_ZLIB
    GTEST_SKIP() << "built without zlib";
#endif
    std::string addresses;
    for (int i = 0; i < kGpus; ++i) {
      char uuid[64];
      std::snprintf(uuid, sizeof uuid, "GPU-%08lx-%04lx-%04lx-%04lx-%012lx", random_() & 0xffffffff, random_() & 0xffff,
                    random_() & 0xffff, random_() & 0xffff, random_() & 0xffffffffffff);
      doc_.device(i, uuid, "NVIDIA H200");
      addresses += (i > 0 ? "," : "") + std::string("0000:") + std::to_string(10 + 11 * i) + ":00.0";
    }
    doc_.parameter("pciAddresses", addresses);
    doc_.parameter("cuda", "13.0");
    doc_.parameter("driver", "580.159.04");
    for (const char* name : {"smClockMHz", "memoryClockMHz", "temperatureC", "memoryTemperatureC", "powerW"}) {
      doc_.parameter(name, per_gpu(1980, 30));
    }
    doc_.parameter("pcieGeneration", per_gpu(5, 1));
    doc_.parameter("pcieWidth", per_gpu(16, 1));
    doc_.parameter("clockLimits", "none,power,none,power,power,none,power,none");
    doc_.parameter("ecc", "on,on,on,on,on,on,on,on");
    doc_.parameter("remappedRows", per_gpu(0, 1));
    doc_.check("eccUncorrected", true);
    doc_.check("rowRemap", true);
    doc_.check("comparable", true);
    doc_.check("undisturbed", true);
    doc_.check("dataIntegrity", true);
  }

  std::string per_gpu(int value, int noise) {
    std::string text;
    for (int i = 0; i < kGpus; ++i) text += (i > 0 ? "," : "") + std::to_string(value - static_cast<int>(random_() % static_cast<unsigned>(noise)));
    return text;
  }

  Summary noisy(double value) {
    std::normal_distribution<double> noise(1, 0.001);
    return {value * noise(random_), 6 + random_() % 20, std::abs(noise(random_) - 1) * 2};
  }

  void pairs(const std::string& name, double value, assay::p2p::Rank rank, bool directed) {
    assay::p2p::Results results;
    const auto all = directed ? assay::p2p::ordered_pairs(kGpus) : assay::p2p::unordered_pairs(kGpus);
    for (const auto& pair : all) results.emplace_back(pair, noisy(value));
    assay::p2p::add_results(doc_.measurement(name, "GB/s", Better::Higher), Better::Higher, assay::p2p::is_in_full(rank, kGpus),
                            results, directed ? assay::p2p::directed : assay::p2p::both_ways);
  }

  void gpus(const std::string& name, double value) {
    for (int i = 0; i < kGpus; ++i) doc_.measurement(name, "GB/s", Better::Higher).add("gpu" + std::to_string(i), noisy(value));
  }

  std::mt19937_64 random_{1};
  Document doc_{"program", "v0.1.0-123-g0123456789ab"};
};

TEST_F(EightGpus, DocumentOfP2pFits) {
  using assay::p2p::Rank;
  pairs("hostStagedBandwidth", 38, Rank::Secondary, true);
  pairs("hostStagedBidirectionalBandwidth", 65, Rank::Secondary, false);
  pairs("hostStagedLatency", 15, Rank::Secondary, true);
  gpus("reachablePeers", 7);
  pairs("writeBandwidth", 395, Rank::Primary, true);
  pairs("readBandwidth", 393, Rank::Secondary, true);
  pairs("bidirectionalBandwidth", 781, Rank::Primary, false);
  pairs("smWriteBandwidth", 370, Rank::Secondary, true);
  pairs("smReadBandwidth", 376, Rank::Secondary, true);
  pairs("smBidirectionalBandwidth", 730, Rank::Secondary, false);
  pairs("copyLatency", 2.2, Rank::Secondary, true);
  pairs("copyLaunchedLatency", 4.4, Rank::Secondary, true);
  pairs("loadLatency", 826, Rank::Secondary, true);
  pairs("concurrentBandwidth", 781, Rank::Primary, false);
  const std::size_t size = compressed_size(printed(doc_));
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, kRoom);
}

TEST_F(EightGpus, DocumentOfHostlinkFits) {
  for (const std::string prefix : {"", "concurrent", "pageable", "far"}) {
    gpus(prefix + "HostToDeviceBandwidth", 55);
    gpus(prefix + "DeviceToHostBandwidth", 55);
  }
  gpus("bothWaysBandwidth", 103);
  gpus("concurrentBothWaysBandwidth", 53);
  gpus("totalHostToDeviceBandwidth", 220);
  gpus("totalDeviceToHostBandwidth", 167);
  gpus("hostLoadLatency", 1066);
  const std::size_t size = compressed_size(printed(doc_));
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, kRoom);
}

TEST_F(EightGpus, DocumentOfGpustreamFits) {
  using namespace assay::gpustream;
  for (const auto precision : {Precision::Fp64, Precision::Fp32}) {
    for (const auto kernel : kKernels) {
      gpus(metric_name(kernel, precision), 4400);
      gpus(metric_name(kernel, precision) + "Alone", 4400);
    }
  }
  gpus("l2Read", 7900);
  const std::size_t size = compressed_size(printed(doc_));
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, kRoom);
}

TEST_F(EightGpus, DocumentOfGemmFits) {
  for (const std::string name : assay::gemm::kPrecisionNames) {
    gpus(name, 700);
    gpus(name + "Alone", 700);
    for (const char* suffix : {"ClockMHz", "PowerW", "PeakAtClock"}) doc_.parameter(name + suffix, per_gpu(1500, 100));
    doc_.parameter(name + "Residual", noisy(0.005).value);
    doc_.parameter(name + "Algorithm", "Lt66/20/36/1");
  }
  for (int i = 0; i < kGpus; ++i) doc_.note("gpu" + std::to_string(i) + ": clock held down by the power limit 82 % of the time");
  const std::size_t size = compressed_size(printed(doc_));
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, kRoom);
}

TEST_F(EightGpus, DocumentOfGpuquickFits) {
  using assay::p2p::Rank;
  const auto sampled = [&](double value) {
    std::vector<double> samples;
    for (int i = 0; i < 8; ++i) samples.push_back(noisy(value).value);
    return assay::summarize(samples);
  };
  const auto on_each = [&](const std::string& name, double value) {
    for (int i = 0; i < kGpus; ++i) doc_.measurement(name, "GB/s", Better::Higher).add("gpu" + std::to_string(i), sampled(value));
  };
  on_each("hbmTriad", 4400);
  gpus("reachablePeers", 7);
  pairs("writeBandwidth", 395, Rank::Primary, true);
  pairs("readBandwidth", 393, Rank::Secondary, true);
  pairs("bidirectionalBandwidth", 781, Rank::Primary, false);
  for (const std::string name : {"fp64", "fp32", "fp16"}) {
    on_each(name, 55);
    for (const char* suffix : {"ClockMHz", "PowerW", "PeakAtClock"}) doc_.parameter(name + suffix, per_gpu(1500, 100));
    doc_.parameter(name + "Residual", noisy(0.005).value);
    doc_.parameter(name + "Algorithm", "cuBLAS");
  }
  on_each("hostToDeviceBandwidth", 55);
  on_each("deviceToHostBandwidth", 55);
  for (const std::string name : assay::collectives::kOperationNames) {
    doc_.measurement(name + "BusBandwidth", "GB/s", Better::Higher).add("8GiB", sampled(365));
  }
  doc_.parameter("peakAtClockGBps", per_gpu(4814, 2));
  doc_.parameter("environment", "NCCL_VERSION=2.28.9");
  doc_.parameter("phaseSeconds", "start 0.47, memory 0.24, links 2.22, preparations 1.64, products 4.41, host 0.99, collectives 1.57, end 0.01");
  for (int i = 0; i < kGpus; ++i) doc_.note("gpu" + std::to_string(i) + ": clock held down by the power limit 48 % of the time");
  doc_.shorten();
  const std::string text = printed(doc_);
  for (const char* part : {"gpu7->gpu6", "gpu6<->gpu7", "hbmTriad", "fp16", "deviceToHostBandwidth", "broadcastBusBandwidth"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  const std::size_t size = compressed_size(text);
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, kRoom);
}

hplgpu::Repetition hpl_repetition(std::size_t ranks, std::mt19937_64& random) {
  std::normal_distribution<double> noise(1, 0.01);
  hplgpu::Repetition repetition{83 * noise(random), {1e-12, 260, 11, 0.5, 0.004}, {}};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    hplgpu::RankFigures figures;
    for (double& seconds : figures.phases.seconds) seconds = noise(random);
    figures.multiplied = 50e12 * noise(random);
    figures.watts = 690 * noise(random);
    repetition.ranks.push_back(figures);
  }
  return repetition;
}

TEST_F(EightGpus, DocumentOfHplGpuFits) {
  std::vector<hplgpu::Repetition> repetitions;
  for (int i = 0; i < 5; ++i) repetitions.push_back(hpl_repetition(kGpus, random_));
  std::vector<std::string> names;
  for (int i = 0; i < kGpus; ++i) names.push_back("gpu" + std::to_string(i));
  hplgpu::report_figures({364544, 1024, kGpus}, repetitions, names, "node", doc_);
  hplgpu::report_checks(repetitions, names, doc_);
  const std::size_t size = compressed_size(printed(doc_));
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, kRoom);
}

TEST_F(EightGpus, DocumentOfHplGpuOverEightMachinesFits) {
  std::vector<std::string> names;
  for (int i = 0; i < 8 * kGpus; ++i) names.push_back("rank" + std::to_string(i));
  const std::vector<hplgpu::Repetition> repetitions{hpl_repetition(names.size(), random_)};
  hplgpu::report_figures({1031168, 1024, 8 * kGpus}, repetitions, names, "all", doc_);
  hplgpu::report_checks(repetitions, names, doc_);
  const std::size_t size = compressed_size(printed(doc_));
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, kRoom);
}

TEST_F(EightGpus, DocumentOfCollectivesFits) {
  for (const std::string name : assay::collectives::kOperationNames) {
    for (const char* size : {"8B", "64KiB"}) {
      doc_.measurement(name + "Latency", "us", Better::Lower).add(size, noisy(8));
      doc_.measurement(name + "LaunchedLatency", "us", Better::Lower).add(size, noisy(20));
    }
    for (const char* size : {"1MiB", "16MiB", "256MiB", "8GiB"}) {
      doc_.measurement(name + "AlgorithmBandwidth", "GB/s", Better::Higher).add(size, noisy(240));
      doc_.measurement(name + "BusBandwidth", "GB/s", Better::Higher).add(size, noisy(365));
    }
  }
  const std::size_t size = compressed_size(printed(doc_));
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, kRoom);
}

}  // namespace
