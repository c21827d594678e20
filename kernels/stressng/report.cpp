#include "stressng/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace assay::stressng {
namespace {

std::vector<std::string> stress(double seconds) {
  const auto whole = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::lround(seconds)));
  return {"stress-ng", "--verify", "--metrics", "--timeout", std::to_string(whole) + "s", "--yaml", kMetrics, "--log-file", kLog, "--temp-path", "."};
}

// The value of "key: value" or "- key: value"; nothing where the line has another key.
std::optional<std::string> value_of(const std::string& line, const std::string& key) {
  const auto start = line.find_first_not_of(" -");
  if (start == std::string::npos || line.compare(start, key.size() + 2, key + ": ") != 0) return std::nullopt;
  return line.substr(start + key.size() + 2);
}

}  // namespace

std::vector<std::string> processors(std::int64_t workers, double seconds) {
  auto words = stress(seconds);
  words.insert(words.end(), {"--cpu", std::to_string(workers), "--cpu-method", "all"});
  return words;
}

std::vector<std::string> memory(std::int64_t workers, double seconds, std::int64_t bytes) {
  auto words = stress(seconds);
  // stress-ng divides the bytes among its workers.
  words.insert(words.end(), {"--vm", std::to_string(workers), "--vm-bytes", std::to_string(bytes), "--vm-method", "all", "--vm-keep"});
  return words;
}

std::optional<double> rate_of(const std::string& metrics, const std::string& stressor) {
  std::istringstream lines(metrics);
  std::string line;
  bool ours = false;
  while (std::getline(lines, line)) {
    if (const auto name = value_of(line, "stressor")) ours = *name == stressor;
    const auto value = ours ? value_of(line, "bogo-ops-per-second-real-time") : std::nullopt;
    if (!value) continue;
    char* end = nullptr;
    const double rate = std::strtod(value->c_str(), &end);
    if (end == value->c_str() || !std::isfinite(rate) || rate <= 0) return std::nullopt;
    return rate;
  }
  return std::nullopt;
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
