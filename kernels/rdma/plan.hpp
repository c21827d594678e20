// Which rails two hosts share, and how perftest is started on one. Reads files, starts nothing.
#pragma once

#include <cstdint>
#include <filesystem>
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

// As text and back, for its way to the other host.
std::string to_text(const std::vector<Rail>& rails);
std::vector<Rail> from_text(const std::string& text);

std::vector<Rail> in_both(const std::vector<Rail>& a, const std::vector<Rail>& b);

// The server's command, or with `server` its address, the client's.
std::vector<std::string> perftest(const Options& options, const Rail& rail, std::int64_t tcp_port, const std::string& server = "");

// Whether somebody listens on the TCP port, by a table like /proc/net/tcp.
bool listens(const std::string& table, std::int64_t tcp_port);

}  // namespace assay::rdma
