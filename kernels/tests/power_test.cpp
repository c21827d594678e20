// What power reads of a made-up machine, and when it takes a node for one at rest.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "power/rapl.hpp"
#include "power/rest.hpp"

namespace assay::power {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Machine : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay-power-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << "\n";
  }
  void package(int number, const std::string& energy) {
    const std::string zone = "/sys/class/powercap/intel-rapl:" + std::to_string(number);
    write(zone + "/name", "package-" + std::to_string(number));
    write(zone + "/max_energy_range_uj", "1000000");
    if (!energy.empty()) write(zone + "/energy_uj", energy);
  }
  std::string root_;
};

TEST_F(Machine, AddsUpItsPackagesAcrossTheEndOfACounter) {
  package(0, "400000");
  package(1, "900000");
  write("/sys/class/powercap/intel-rapl:0:0/name", "core");
  write("/sys/class/powercap/intel-rapl:2/name", "psys");
  const inventory::Tree tree(root_);
  Rapl rapl(tree);
  EXPECT_EQ(rapl.problem(), "");
  EXPECT_FALSE(rapl.advance());
  package(0, "600000");
  package(1, "100000");  // 0.1 J to the end, 0.1 J from the start
  const auto joules = rapl.advance();
  ASSERT_TRUE(joules);
  EXPECT_NEAR(*joules, 0.2 + 0.2, 1e-9);
}

TEST_F(Machine, SaysWhyItsProcessorsDoNotTell) {
  const inventory::Tree tree(root_);
  EXPECT_EQ(Rapl(tree).problem(), "there is no RAPL in /sys/class/powercap");
  package(0, "");
  Rapl unreadable(tree);
  EXPECT_EQ(unreadable.problem(), "/sys/class/powercap/intel-rapl:0/energy_uj cannot be read: only root may");
  unreadable.advance();
  EXPECT_FALSE(unreadable.advance());
}

TEST_F(Machine, HasAMeterOfItsOwnOrNone) {
  const inventory::Tree tree(root_);
  EXPECT_FALSE(node_watts(tree));
  write("/sys/class/hwmon/hwmon0/name", "coretemp");
  write("/sys/class/hwmon/hwmon1/name", "power_meter");
  write("/sys/class/hwmon/hwmon1/power1_average", "1850000000");
  EXPECT_EQ(node_watts(tree), 1850.0);
}

TEST_F(Machine, CountsWaitingForDisksAsIdle) {
  write("/proc/stat", "cpu  10 20 30 1000 500 1 2 3 7 7\ncpu0 1 1 1 1 1 1 1 1 1 1");
  const auto time = processor_time(inventory::Tree(root_));
  ASSERT_TRUE(time);
  EXPECT_EQ(time->busy, 66);
  EXPECT_EQ(time->all, 1566);
  write("/proc/stat", "garbled");
  EXPECT_FALSE(processor_time(inventory::Tree(root_)));
}

GpuAtRest gpu(const std::string& name, double watts, double mhz) {
  GpuAtRest made;
  made.name = name;
  made.uuid = "GPU-" + name;
  made.max_mhz = 1980;
  made.watts.assign(20, watts);
  made.mhz.assign(20, mhz);
  made.celsius.assign(20, 31);
  return made;
}

Json reported(const NodeAtRest& node, int code) {
  Document doc("power");
  report(node, doc);
  std::ostringstream out;
  EXPECT_EQ(doc.finish(out), code);
  return Json::parse(out.str());
}

TEST(Rest, TellsEachGpuAllOfThemAndTheProcessors) {
  NodeAtRest node{{gpu("gpu0", 75, 345), gpu("gpu1", 80, 345)}, {150, 152, 154}, {900}, 0.01};
  node.gpus[1].watts.pop_back();  // one look less
  const Json doc = reported(node, 0);
  std::map<std::string, double> values;
  for (const auto& measurement : doc["measurements"]) {
    for (const auto& part : measurement["parts"]) values[measurement["name"].get<std::string>() + " " + part["at"].get<std::string>()] = part["value"];
  }
  EXPECT_EQ(values, (std::map<std::string, double>{{"gpuIdlePower gpu0", 75}, {"gpuIdlePower gpu1", 80}, {"gpusIdlePower node", 155},
                                                   {"cpuIdlePower node", 152}, {"nodeIdlePower node", 900}}));
  EXPECT_EQ(doc["parameters"]["smClockMHz"], "345,345");
  EXPECT_EQ(doc["checks"], Json::parse(R"([{"name":"undisturbed","ok":true}])"));
}

TEST(Rest, IsNoneForAGpuThatSomebodyHolds) {
  NodeAtRest node{{gpu("gpu0", 75, 345), gpu("gpu1", 116, 345)}, {}, {}, 0.9};
  node.gpus[1].holders = "python3 (pid 812) holds 520 MiB";
  EXPECT_EQ(reported(node, 1)["checks"][0]["message"], "gpu1: python3 (pid 812) holds 520 MiB");
}

TEST(Rest, IsNoneForAGpuWithTheClocksOfWork) {
  GpuAtRest awake = gpu("gpu0", 116, 345);
  awake.mhz[3] = awake.mhz[4] = 1980;
  EXPECT_EQ(disturbance(awake), "");  // 2 of 20: the driver's own
  awake.mhz[5] = 1980;
  EXPECT_EQ(disturbance(awake), "gpu0 ran at up to 1980 of 1980 MHz in 15 % of the looks: it was not at rest, or its clocks are locked");
  awake.max_mhz.reset();
  EXPECT_EQ(disturbance(awake), "");
}

TEST(Rest, IsNoneForBusyProcessorsWhereTheirPowerIsTold) {
  EXPECT_EQ(reported({{gpu("gpu0", 75, 345)}, {150}, {}, 0.4}, 1)["checks"][0]["message"], "the processors were busy 40 % of the time");
  reported({{gpu("gpu0", 75, 345)}, {}, {}, 0.4}, 0);
}

TEST(Rest, OfAllGpusIsToldOnlyWhereAllTell) {
  NodeAtRest node{{gpu("gpu0", 75, 345), gpu("gpu1", 80, 345)}, {}, {}, std::nullopt};
  node.gpus[0].watts.clear();
  const Json doc = reported(node, 0);
  ASSERT_EQ(doc["measurements"].size(), 1U);
  EXPECT_EQ(doc["measurements"][0]["parts"][0]["at"], "gpu1");
}

}  // namespace
}  // namespace assay::power
