// Which rails two hosts share, and how perftest is started on one. Reads files, starts nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace assay::rdma {

struct Options {
  std::string test = "write_bw";
  std::int64_t bytes = 1 << 20;
  std::int64_t iterations = 20000;
  std::int64_t gid_index = -1;  // -1: perftest's choice
  std::string interface;        // whose address the client calls; empty: the first that is not the loopback
  std::string devices = "/sys/class/infiniband";
  std::string verbs = "/sys/class/infiniband_verbs";
  std::string nodes = "/dev/infiniband";
  std::string rails;            // the devices to measure, "mlx5_0,mlx5_1"; empty: all that are active and can be opened
};

// One port of one device.
struct Rail {
  std::string device;
  std::int64_t port = 1;
  bool operator<(const Rail& other) const { return device != other.device ? device < other.device : port < other.port; }
  bool operator==(const Rail& other) const { return device == other.device && port == other.port; }
};

// Ports whose state is ACTIVE, in order; none where the folder is not there.
std::vector<Rail> active_rails(const std::filesystem::path& devices);

// Names of the devices that can be opened: `verbs` says which device is behind uverbs0, and `nodes` has uverbs0. Where containers share the
// host's RDMA namespace, the kernel lists devices of other containers too.
std::set<std::string> mounted_devices(const std::filesystem::path& verbs, const std::filesystem::path& nodes);

// Takes out of rails those of other devices, and returns them.
std::vector<Rail> leave_out_all_but(const std::set<std::string>& devices, std::vector<Rail>& rails);

// "mlx5_0 port 1, mlx5_1 port 1"
std::string names_of(const std::vector<Rail>& rails);

// As text and back, for its way to the other host.
std::string to_text(const std::vector<Rail>& rails);
std::vector<Rail> from_text(const std::string& text);

// Those of the named devices; all of them where no name is given. Throws std::runtime_error for a name without an active port.
std::vector<Rail> of_devices(const std::vector<Rail>& rails, const std::string& names);

std::vector<Rail> in_both(const std::vector<Rail>& a, const std::vector<Rail>& b);

// What is wrong with rails that one host has and the other has not; empty where there are none. Each host says `name` for itself.
std::string one_sided(const std::vector<Rail>& own, const std::string& name, const std::vector<Rail>& other, const std::string& other_name);

// The server's command, or with `server` its address, the client's.
std::vector<std::string> perftest(const Options& options, const Rail& rail, std::int64_t tcp_port, const std::string& server = "");

// Whether somebody listens on the TCP port, by a table like /proc/net/tcp.
bool listens(const std::string& table, std::int64_t tcp_port);

}  // namespace assay::rdma
