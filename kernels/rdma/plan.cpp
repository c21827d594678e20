#include "rdma/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace assay::rdma {
namespace {

namespace fs = std::filesystem;

// Of perftest's programs, those that send many messages at once.
bool is_bandwidth(const std::string& test) { return test.size() > 3 && test.compare(test.size() - 3, 3, "_bw") == 0; }

}  // namespace

std::vector<Rail> active_rails(const fs::path& devices) {
  std::vector<Rail> rails;
  std::error_code missing;
  for (const auto& device : fs::directory_iterator(devices, missing)) {
    for (const auto& port : fs::directory_iterator(device.path() / "ports", missing)) {
      std::string state;
      std::getline(std::ifstream(port.path() / "state"), state);  // "4: ACTIVE"
      if (state.find("ACTIVE") != std::string::npos) {
        rails.push_back({device.path().filename().string(), std::atoll(port.path().filename().c_str())});
      }
    }
  }
  std::sort(rails.begin(), rails.end());
  return rails;
}

std::set<std::string> mounted_devices(const fs::path& verbs, const fs::path& nodes) {
  std::set<std::string> devices;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(verbs, missing)) {
    std::string device;
    if (std::getline(std::ifstream(entry.path() / "ibdev"), device) && fs::exists(nodes / entry.path().filename(), missing)) devices.insert(device);
  }
  return devices;
}

std::vector<Rail> leave_out_all_but(const std::set<std::string>& devices, std::vector<Rail>& rails) {
  const auto out = std::stable_partition(rails.begin(), rails.end(), [&](const Rail& rail) { return devices.count(rail.device) > 0; });
  std::vector<Rail> left_out(out, rails.end());
  rails.erase(out, rails.end());
  return left_out;
}

std::string names_of(const std::vector<Rail>& rails) {
  std::string all;
  for (const auto& rail : rails) all += (all.empty() ? "" : ", ") + rail.device + " port " + std::to_string(rail.port);
  return all;
}

std::string to_text(const std::vector<Rail>& rails) {
  std::ostringstream out;
  for (const auto& rail : rails) out << rail.device << ' ' << rail.port << '\n';
  return out.str();
}

std::vector<Rail> from_text(const std::string& text) {
  std::vector<Rail> rails;
  std::istringstream in(text);
  Rail rail;
  while (in >> rail.device >> rail.port) rails.push_back(rail);
  return rails;
}

std::vector<Rail> of_devices(const std::vector<Rail>& rails, const std::string& names) {
  if (names.empty()) return rails;
  std::vector<Rail> chosen;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) {
    const std::size_t before = chosen.size();
    std::copy_if(rails.begin(), rails.end(), std::back_inserter(chosen), [&](const Rail& rail) { return rail.device == name; });
    if (chosen.size() == before) throw std::runtime_error("the RDMA device " + name + " has no active port, or is not in this container");
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::string one_sided(const std::vector<Rail>& own, const std::string& name, const std::vector<Rail>& other, const std::string& other_name) {
  std::string all;
  const auto add = [&](const std::vector<Rail>& here, const std::vector<Rail>& there, const std::string& lacks) {
    std::vector<Rail> only;
    std::set_difference(here.begin(), here.end(), there.begin(), there.end(), std::back_inserter(only));
    for (const auto& rail : only) all += (all.empty() ? "" : ", ") + rail.device + " port " + std::to_string(rail.port) + " of " + lacks;
  };
  add(other, own, name);
  add(own, other, other_name);
  return all.empty() ? "" : "not active or not in the container, and measurable on the other host: " + all + ". Mend the link, or name the devices to measure by --rails";
}

std::vector<Rail> in_both(const std::vector<Rail>& a, const std::vector<Rail>& b) {
  std::vector<Rail> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

std::vector<std::string> perftest(const Options& options, const Rail& rail, std::int64_t tcp_port, const std::string& server) {
  std::vector<std::string> words = {"ib_" + options.test, "-F", "-d", rail.device, "-i", std::to_string(rail.port), "-p", std::to_string(tcp_port),
                                    "-s", std::to_string(options.bytes), "-n", std::to_string(options.iterations)};
  if (is_bandwidth(options.test)) words.push_back("--report_gbits");
  if (options.gid_index >= 0) words.insert(words.end(), {"-x", std::to_string(options.gid_index)});
  if (!server.empty()) words.push_back(server);
  return words;
}

bool listens(const std::string& table, std::int64_t tcp_port) {
  std::istringstream lines(table);
  std::string line;
  while (std::getline(lines, line)) {
    // "0: 00000000:4853 00000000:0000 0A ...": its number, the local address and port, the remote ones, and the state, of which 0A listens.
    std::istringstream fields(line);
    std::string number, local, remote, state;
    fields >> number >> local >> remote >> state;
    const auto colon = local.rfind(':');
    if (state == "0A" && colon != std::string::npos && std::strtoll(local.c_str() + colon + 1, nullptr, 16) == tcp_port) return true;
  }
  return false;
}

}  // namespace assay::rdma
