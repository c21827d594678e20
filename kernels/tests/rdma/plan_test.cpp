#include "rdma/plan.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "common/host/folder.hpp"

namespace assay::rdma {
namespace {

TEST(Rails, AreThePortsThatAreActive) {
  const TemporaryFolder folder("rdma_test");
  const auto port = [&](const std::string& device, const std::string& number, const std::string& state) {
    std::filesystem::create_directories(folder.path() / device / "ports" / number);
    std::ofstream(folder.path() / device / "ports" / number / "state") << state << "\n";
  };
  port("mlx5_1", "1", "4: ACTIVE");
  port("mlx5_0", "2", "4: ACTIVE");
  port("mlx5_0", "1", "1: DOWN");
  EXPECT_EQ(to_text(active_rails(folder.path())), "mlx5_0 2\nmlx5_1 1\n");
  EXPECT_TRUE(active_rails(folder.path() / "missing").empty());
}

// Where containers share the host's RDMA namespace, all of them see all devices, and each has the nodes of its own.
TEST(Rails, OfDevicesThatAreNotMountedAreLeftOut) {
  const TemporaryFolder folder("rdma_test");
  const auto verbs = folder.path() / "infiniband_verbs", nodes = folder.path() / "infiniband";
  std::filesystem::create_directories(nodes);
  for (const char* number : {"0", "1"}) {
    std::filesystem::create_directories(verbs / (std::string("uverbs") + number));
    std::ofstream(verbs / (std::string("uverbs") + number) / "ibdev") << "mlx5_" << (number[0] == '0' ? 3 : 4) << "\n";
  }
  std::ofstream(verbs / "abi_version") << "6\n";
  std::ofstream(nodes / "uverbs1");
  EXPECT_EQ(mounted_devices(verbs, nodes), std::set<std::string>{"mlx5_4"});
  EXPECT_TRUE(mounted_devices(verbs, folder.path() / "missing").empty());
  EXPECT_TRUE(mounted_devices(folder.path() / "missing", nodes).empty());

  auto rails = from_text("mlx5_3 1\nmlx5_4 1\nmlx5_4 2\n");
  EXPECT_EQ(names_of(leave_out_all_but({"mlx5_4"}, rails)), "mlx5_3 port 1");
  EXPECT_EQ(names_of(rails), "mlx5_4 port 1, mlx5_4 port 2");
}

TEST(Rails, InBothAreThoseOfOneName) {
  const auto a = from_text("mlx5_0 1\nmlx5_1 1\nmlx5_1 2\n"), b = from_text("mlx5_1 1\nmlx5_2 1\n");
  EXPECT_EQ(to_text(in_both(a, b)), "mlx5_1 1\n");
  EXPECT_TRUE(from_text("").empty());
}

TEST(Rails, OfOneHostOnlyAreTold) {
  const auto a = from_text("mlx5_0 1\nmlx5_1 1\n"), b = from_text("mlx5_0 1\nmlx5_2 2\n");
  const std::string wrong = one_sided(a, "node-a", b, "node-b");
  EXPECT_NE(wrong.find("mlx5_2 port 2 of node-a, mlx5_1 port 1 of node-b"), std::string::npos) << wrong;
  EXPECT_EQ(one_sided(a, "node-a", a, "node-b"), "");
}

TEST(Rails, MayBeNamed) {
  const auto all = from_text("mlx5_0 1\nmlx5_1 1\nmlx5_1 2\n");
  EXPECT_EQ(of_devices(all, ""), all);
  EXPECT_EQ(to_text(of_devices(all, "mlx5_1")), "mlx5_1 1\nmlx5_1 2\n");
  EXPECT_EQ(of_devices(all, "mlx5_1,mlx5_0"), all);
  EXPECT_THROW(of_devices(all, "mlx5_0,mlx5_7"), std::runtime_error);
}

TEST(PerfTest, IsTheServerWithoutAnAddress) {
  Options options;
  EXPECT_EQ(perftest(options, {"mlx5_1", 2}, 7000),
            (std::vector<std::string>{"ib_write_bw", "-F", "-d", "mlx5_1", "-i", "2", "-p", "7000", "-s", "1048576", "-n", "20000", "--report_gbits"}));
  options.test = "write_lat";
  options.gid_index = 3;
  const auto words = perftest(options, {"mlx5_1", 2}, 7000, "10.0.0.7");
  EXPECT_EQ(words.front(), "ib_write_lat");
  EXPECT_EQ(std::vector<std::string>(words.end() - 3, words.end()), (std::vector<std::string>{"-x", "3", "10.0.0.7"}));
}

TEST(Listens, TellsAListenerFromAConnection) {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 00000000:4853 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0\n"
      "   1: 0100007F:4854 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0\n";
  EXPECT_TRUE(listens(table, 0x4853));
  EXPECT_FALSE(listens(table, 0x4854)) << "an established connection";
  EXPECT_FALSE(listens(table, 0x9999)) << "somebody else's port";
  EXPECT_FALSE(listens("", 0x4853));
}

}  // namespace
}  // namespace assay::rdma
