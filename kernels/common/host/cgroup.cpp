#include "common/host/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace assay {
namespace {

std::optional<std::int64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // not there, or "max"
}

// The folders of this process's cgroup and of all that enclose it. Inside a container the path that the kernel names may be
// the host's while the mount starts at the container's own group; walking up from it ends there in either case.
std::vector<std::string> cgroup_folders(const std::string& root, const std::string& controller) {
  std::vector<std::string> folders;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string id, controllers, path;
    std::getline(fields, id, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    const bool v2 = controllers.empty();
    if (!v2 && ("," + controllers + ",").find("," + controller + ",") == std::string::npos) continue;
    const std::string mount = root + "/sys/fs/cgroup" + (v2 ? "" : "/" + controllers);
    for (;;) {
      folders.push_back(mount + path);
      if (!v2) folders.push_back(root + "/sys/fs/cgroup/" + controller + path);
      if (path.empty() || path == "/") break;
      path.erase(path.rfind('/'));
    }
  }
  return folders;
}

// The page cache counts as used, but the kernel gives the inactive part of it back on demand.
std::int64_t inactive_file_bytes(const std::string& folder) {
  std::ifstream file(folder + "/memory.stat");
  std::string key;
  for (std::int64_t bytes = 0; file >> key >> bytes;) {
    if (key == "inactive_file") return bytes;
  }
  return 0;
}

std::int64_t mem_available(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  std::string key, unit;
  for (std::int64_t kib = 0; file >> key >> kib; std::getline(file, unit)) {
    if (key == "MemAvailable:") return kib * 1024;
  }
  throw std::runtime_error("reading MemAvailable from /proc/meminfo failed");
}

}  // namespace

std::int64_t usable_memory_bytes(const std::string& root) {
  std::int64_t usable = mem_available(root);
  for (const std::string& folder : cgroup_folders(root, "memory")) {
    for (const auto& [limit_file, usage_file] :
         {std::pair("/memory.max", "/memory.current"), std::pair("/memory.limit_in_bytes", "/memory.usage_in_bytes")}) {
      const auto limit = read_number(folder + limit_file);
      if (!limit) continue;
      const std::int64_t used = read_number(folder + usage_file).value_or(0) - inactive_file_bytes(folder);
      usable = std::min(usable, *limit - used);
    }
  }
  return std::max<std::int64_t>(usable, 0);
}

std::optional<double> cpu_quota(const std::string& root) {
  double quota = std::numeric_limits<double>::infinity();
  const auto tighten = [&](std::optional<std::int64_t> allowed, std::optional<std::int64_t> period) {
    if (allowed && *allowed > 0 && period && *period > 0) {
      quota = std::min(quota, static_cast<double>(*allowed) / static_cast<double>(*period));
    }
  };
  for (const std::string& folder : cgroup_folders(root, "cpu")) {
    tighten(read_number(folder + "/cpu.cfs_quota_us"), read_number(folder + "/cpu.cfs_period_us"));
    std::ifstream v2(folder + "/cpu.max");
    std::int64_t allowed = 0, period = 0;
    if (v2 >> allowed >> period) tighten(allowed, period);
  }
  if (quota == std::numeric_limits<double>::infinity()) return std::nullopt;
  return quota;
}

}  // namespace assay
