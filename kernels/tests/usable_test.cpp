// What it means that CUDA finds no GPU, told from made-up answers of CUDA and the system.
#include "common/cuda/usable.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "common/program.hpp"

namespace assay::cuda {
namespace {

namespace fs = std::filesystem;

const std::string kNone = "no CUDA-capable device is detected (cudaErrorNoDevice)";

template <typename Exception>
std::string refused(const NoGpu& found) {
  try {
    refuse(found);
  } catch (const Exception& reason) {
    return reason.what();
  } catch (const std::exception& other) {
    return std::string("another error: ") + other.what();
  }
}

TEST(Usable, GivenDevicesThatCannotBeUsedFailTheNode) {
  EXPECT_EQ(refused<DevicesUnusable>({Missing::Devices, kNone, "/dev/nvidia0", "580.95.05", 13000, 13000}),
            "no GPU can be used, and this container was given some (/dev/nvidia0): " + kNone);
}

TEST(Usable, WhereNoneWasGivenNoneCanBeSick) {
  EXPECT_EQ(refused<CannotRun>({Missing::Devices, kNone, "", "", 0, 13000}), "no usable GPU: " + kNone);
}

// Whoever keeps the driver's library from the container must not convict a healthy node.
TEST(Usable, WithoutADriverNothingIsKnownOfTheDevices) {
  const auto text = refused<DriverTooOld>({Missing::Driver, kNone, "/dev/nvidia0", "580.95.05", 0, 13000});
  EXPECT_NE(text.find("libcuda.so.1"), std::string::npos);
  EXPECT_EQ(refused<CannotRun>({Missing::Driver, kNone, "", "", 0, 13000}), "no usable GPU: " + kNone);
}

TEST(Usable, AnOldDriverIsNamedWithWhatIsNeeded) {
  EXPECT_EQ(refused<DriverTooOld>({Missing::NewerDriver, "", "/dev/nvidia0", "535.104.05", 12020, 13000}),
            "driver 535.104.05 knows CUDA up to 12.2, this program needs CUDA 13.0, from driver 580 on");
  EXPECT_EQ(refused<DriverTooOld>({Missing::NewerDriver, "", "", "", 12020, 13000}),
            "driver of unknown version knows CUDA up to 12.2, this program needs CUDA 13.0, from driver 580 on");
}

TEST(Usable, ADriverOfTwoVersionsIsNoWorkForTheProgram) {
  const auto text = refused<DriverTooOld>({Missing::MatchingParts, "system has unsupported mix", "", "580.95.05", 13000, 13000});
  EXPECT_NE(text.find("580.95.05"), std::string::npos);
  EXPECT_NE(text.find("restart the node"), std::string::npos);
}

class Given : public testing::Test {
 protected:
  fs::path dev = fs::path(testing::TempDir()) / ("dev" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(dev); }
  void TearDown() override { fs::remove_all(dev); }
  void make(const std::string& name) { std::ofstream file(dev / name); }
};

TEST_F(Given, ByTheListOfTheDevicePlugin) {
  EXPECT_EQ(devices_given("GPU-5e0c", nullptr, dev), "NVIDIA_VISIBLE_DEVICES=GPU-5e0c");
  EXPECT_EQ(devices_given("/var/run/nvidia-container-devices", nullptr, dev), "NVIDIA_VISIBLE_DEVICES=/var/run/nvidia-container-devices");
  EXPECT_EQ(devices_given(std::string(500, 'G').c_str(), nullptr, dev).size(), 23U + 64 + 3);
}

// The image asks for all of a machine that has none.
TEST_F(Given, NothingByWhatEveryImageAsksFor) {
  for (const char* list : {"all", "void", "none", ""}) EXPECT_EQ(devices_given(list, nullptr, dev), "") << list;
  EXPECT_EQ(devices_given(nullptr, nullptr, dev / "none"), "");
}

TEST_F(Given, ByADeviceFileAlsoWhereTheCgroupForbidsIt) {
  for (const char* name : {"nvidiactl", "nvidia-uvm", "nvidia", "null"}) make(name);
  EXPECT_EQ(devices_given("all", nullptr, dev), "") << "these are no GPUs";
  make("nvidia3");
  make("nvidia1");
  EXPECT_EQ(devices_given("all", nullptr, dev), (dev / "nvidia1").string());
}

TEST_F(Given, NothingWhereTheUserHidesThem) {
  make("nvidia0");
  for (const char* list : {"", "-1", "63", "0"}) EXPECT_EQ(devices_given("GPU-5e0c", list, dev), "") << list;
}

TEST_F(Given, TheKernelModuleTellsItsVersion) {
  std::ofstream(dev / "closed") << "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 10:11:16 UTC 2025\nGCC version:  gcc 13.3.0\n";
  std::ofstream(dev / "open") << "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  535.104.05  Release Build  (dvs-builder)\n";
  EXPECT_EQ(version_of_module(dev / "closed"), "580.95.05");
  EXPECT_EQ(version_of_module(dev / "open"), "535.104.05");
  EXPECT_EQ(version_of_module(dev / "none"), "");
}

}  // namespace
}  // namespace assay::cuda
