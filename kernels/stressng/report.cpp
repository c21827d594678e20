#include "stressng/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace assay::stressng {
namespace {

// Bytes per second and worker, over which every pattern is made: a third of what a core of a virtual machine (Intel Xeon) reached alone, with
// stress-ng 0.15.06.
constexpr double kPatternRate = 1 << 20;
constexpr std::int64_t kBytesPerOperation = 16384;  // of its method zero-one: 4096 times 8 bytes, filled twice
constexpr std::int64_t kLargestPage = 65536;

std::vector<std::string> stress(double seconds) {
  return {"stress-ng", "--verify", "--metrics", "--timeout", std::to_string(timeout_seconds(seconds)) + "s", "--yaml", kMetrics, "--log-file", kLog, "--temp-path", "."};
}

// The value of "key: value" or "- key: value"; nothing where the line has another key.
std::optional<std::string> value_of(const std::string& line, const std::string& key) {
  const auto start = line.find_first_not_of(" -");
  if (start == std::string::npos || line.compare(start, key.size() + 2, key + ": ") != 0) return std::nullopt;
  return line.substr(start + key.size() + 2);
}

std::optional<double> metric_of(const std::string& metrics, const std::string& stressor, const std::string& key) {
  std::istringstream lines(metrics);
  std::string line;
  bool ours = false;
  while (std::getline(lines, line)) {
    if (const auto name = value_of(line, "stressor")) ours = *name == stressor;
    const auto value = ours ? value_of(line, key) : std::nullopt;
    if (!value) continue;
    char* end = nullptr;
    const double number = std::strtod(value->c_str(), &end);
    return end != value->c_str() && std::isfinite(number) ? std::optional<double>(number) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t timeout_seconds(double seconds) { return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::lround(seconds))); }

std::vector<std::string> processors(std::int64_t workers, double seconds) {
  auto words = stress(seconds);
  words.insert(words.end(), {"--cpu", std::to_string(workers), "--cpu-method", "all"});
  return words;
}

// stress-ng divides the bytes among its workers.
std::vector<std::string> zeros_and_ones(std::int64_t workers, double seconds, std::int64_t bytes) {
  auto words = stress(seconds);
  // However few operations are asked for, this method goes over all of its share first.
  words.insert(words.end(), {"--vm", std::to_string(workers), "--vm-bytes", std::to_string(bytes), "--vm-method", "zero-one", "--vm-ops", "1"});
  return words;
}

std::vector<std::string> patterns(std::int64_t workers, double seconds, std::int64_t bytes) {
  auto words = stress(seconds);
  words.insert(words.end(), {"--vm", std::to_string(workers), "--vm-bytes", std::to_string(bytes), "--vm-method", "all", "--vm-keep"});
  return words;
}

std::int64_t pattern_bytes(std::int64_t workers, double seconds, std::int64_t bytes) {
  return std::min(bytes, static_cast<std::int64_t>(kPatternRate * seconds) * workers);
}

std::optional<double> rate_of(const std::string& metrics, const std::string& stressor) {
  const auto rate = metric_of(metrics, stressor, "bogo-ops-per-second-real-time");
  return rate && *rate > 0 ? rate : std::nullopt;
}

std::int64_t bytes_passed(const std::string& metrics) {
  return static_cast<std::int64_t>(metric_of(metrics, "vm", "bogo-ops").value_or(0)) * kBytesPerOperation;
}

// Each worker rounds its share down to whole pages, and its count down to whole operations.
bool went_over_all(std::int64_t passed, std::int64_t workers, std::int64_t bytes) {
  return passed >= bytes - workers * (kLargestPage + kBytesPerOperation);
}

std::vector<std::string> failures_in(const std::string& log, std::size_t most) {
  std::vector<std::string> found;
  std::istringstream lines(log);
  std::string line;
  while (std::getline(lines, line) && found.size() < most) {
    const auto at = line.find("fail:");
    const auto end = at == std::string::npos ? at : line.find("] ", at);
    if (end != std::string::npos) found.push_back(line.substr(end + 2));
  }
  return found;
}

}  // namespace assay::stressng
