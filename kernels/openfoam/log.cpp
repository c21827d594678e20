#include "openfoam/log.hpp"

#include <algorithm>
#include <cmath>
#include <istream>
#include <optional>
#include <sstream>

namespace assay::openfoam {
namespace {

constexpr const char* kNone = "the log shows no residual of a field that is solved";

std::string text_of(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

// The number after a text, up to a blank or a comma.
std::optional<double> number_after(const std::string& line, const std::string& text, bool& finite) {
  const auto at = line.find(text);
  if (at == std::string::npos) return std::nullopt;
  const std::string rest = line.substr(at + text.size(), 40);
  try {
    std::size_t used = 0;
    const double value = std::stod(rest, &used);
    if (!std::isfinite(value)) finite = false;
    return value;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void read_residual(const std::string& line, Log& log) {
  const std::string solving = "Solving for ";
  const auto at = line.find(solving);
  const auto residual = number_after(line, "Initial residual = ", log.finite);
  const auto end = number_after(line, "Final residual = ", log.finite);
  if (at == std::string::npos || !residual || !end) return;
  const auto from = at + solving.size();
  const std::string field = line.substr(from, line.find(',', from) - from);
  Residual& known = log.residuals[field];
  known = {std::max(known.greatest, *residual), *residual, *end};
}

}  // namespace

Log read_log(std::istream& in) {
  Log log;
  for (std::string line; std::getline(in, line);) {
    if (line == "End") log.ended = true;
    read_residual(line, log);
    if (const auto sum = number_after(line, "continuity errors : sum local = ", log.finite)) {
      log.continuity = *sum;
      log.has_continuity = true;
    }
    if (line.rfind("ExecutionTime = ", 0) == 0) {
      const auto time = number_after(line, "ExecutionTime = ", log.finite);
      if (!time) continue;
      log.times.push_back(*time);
      log.clocks.push_back(number_after(line, "ClockTime = ", log.finite).value_or(*time));
    }
  }
  return log;
}

double seconds_per_iteration(const Log& log) {
  if (log.times.size() < 2) return 0;
  const std::size_t from = std::min(log.times.size() / 4, log.times.size() - 2);
  const double processor = log.times.back() - log.times[from];
  const double clock = log.clocks.back() - log.clocks[from] - 1;  // between two whole numbers lies up to a second more
  return std::max(processor, clock) / static_cast<double>(log.times.size() - 1 - from);
}

std::string unsettled(const Log& log) {
  for (const auto& [field, residual] : log.residuals) {
    if (!(residual.last <= residual.greatest / 2)) return "the residual of " + field + " did not fall to half of its greatest";
  }
  return log.residuals.empty() ? kNone : "";
}

std::string unsolved(const Log& log, double tolerance) {
  for (const auto& [field, residual] : log.residuals) {
    if (residual.end <= tolerance) continue;
    return "the last solve of " + field + " ended at a residual of " + text_of(residual.end) + ", expected at most " + text_of(tolerance);
  }
  return log.residuals.empty() ? kNone : "";
}

std::string another_flow(const Log& log, const std::map<std::string, double>& expected, double deviation) {
  for (const auto& [field, value] : expected) {
    const auto known = log.residuals.find(field);
    if (known == log.residuals.end()) return kNone;
    if (std::abs(known->second.last / value - 1) <= deviation) continue;
    return "the last solve of " + field + " began at a residual of " + text_of(known->second.last) + ", expected " + text_of(value) +
           " within " + text_of(deviation * 100) + " %: the flow is another one";
  }
  return "";
}

}  // namespace assay::openfoam
