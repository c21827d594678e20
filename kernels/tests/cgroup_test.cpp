#include "common/host/cgroup.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace assay {
namespace {

namespace fs = std::filesystem;

// A made-up machine with 1,000,000 KiB of available memory.
class Cgroup : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assay-cgroup-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    write("/proc/meminfo", "MemTotal: 2000000 kB\nMemFree:  1 kB\nMemAvailable: 1000000 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(Cgroup, WithoutLimitsTheNodeDecides) {
  write("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(usable_memory_bytes(root_), 1'024'000'000);
  EXPECT_EQ(cpu_quota(root_), std::nullopt);
}

TEST_F(Cgroup, V2TightestEnclosingLimitCounts) {
  write("/proc/self/cgroup", "0::/pods/one\n");
  write("/sys/fs/cgroup/pods/memory.max", "500000000\n");
  write("/sys/fs/cgroup/pods/memory.current", "100000000\n");
  write("/sys/fs/cgroup/pods/one/memory.max", "max\n");
  write("/sys/fs/cgroup/pods/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/pods/one/cpu.max", "250000 100000\n");
  EXPECT_EQ(usable_memory_bytes(root_), 400'000'000);
  EXPECT_EQ(cpu_quota(root_), 2.5);
}

TEST_F(Cgroup, InactivePageCacheIsNotInTheWay) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/memory.max", "500000000\n");
  write("/sys/fs/cgroup/memory.current", "300000000\n");
  write("/sys/fs/cgroup/memory.stat", "anon 1\ninactive_file 200000000\nactive_file 7\n");
  EXPECT_EQ(usable_memory_bytes(root_), 400'000'000);
}

TEST_F(Cgroup, V1InsideAContainerIsFoundAtTheMount) {
  // The kernel names the host's path, which the container's mount does not have.
  write("/proc/self/cgroup", "4:memory:/kubepods/pod1/c1\n1:cpu,cpuacct:/kubepods/pod1/c1\n0::/\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "300000000\n");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "50000000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable_memory_bytes(root_), 250'000'000);
  EXPECT_EQ(cpu_quota(root_), 0.5);
}

TEST_F(Cgroup, V1NoLimitIsAHugeNumberAndMinusOne) {
  write("/proc/self/cgroup", "4:memory:/\n1:cpu:/\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable_memory_bytes(root_), 1'024'000'000);
  EXPECT_EQ(cpu_quota(root_), std::nullopt);
}

TEST_F(Cgroup, NothingIsLeftRatherThanLessThanNothing) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/memory.max", "100\n");
  write("/sys/fs/cgroup/memory.current", "200\n");
  EXPECT_EQ(usable_memory_bytes(root_), 0);
}

TEST_F(Cgroup, UnreadableMemInfoIsAnError) {
  fs::remove(root_ + "/proc/meminfo");
  EXPECT_THROW(usable_memory_bytes(root_), std::runtime_error);
}

}  // namespace
}  // namespace assay
