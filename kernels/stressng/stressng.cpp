// Whether processors and memory compute and keep what they should, by stress-ng: starts it for the processors, then for the memory, with every
// result verified, and prints a document of what it said.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

#include "common/args.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/cores.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "stressng/report.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;
using Clock = std::chrono::steady_clock;

constexpr int kNotInstalled = 127;
constexpr std::size_t kMostFailures = 5;

struct Options {
  double seconds = 60;
  double memory_fraction = 0.5;
};

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Runs one stressor, and returns its metrics. stress-ng verifies at every step, and writes a line for what is wrong.
std::string stress(Document& doc, const std::vector<std::string>& words) {
  const TemporaryFolder folder("stress-ng");
  const int code = run_to_end({words, folder.path()});
  if (code == kNotInstalled) throw CannotRun("stress-ng is not installed");
  const auto failures = stressng::failures_in(contents(folder.path() / stressng::kLog), kMostFailures);
  for (const auto& failure : failures) doc.check("verified", false, failure);
  doc.check("verified", failures.empty());
  throw_if_stopped();
  if (code != 0 && failures.empty()) throw std::runtime_error("stress-ng ended with exit code " + std::to_string(code) + ": its log says why");
  return contents(folder.path() / stressng::kMetrics);
}

void report_rate(Document& doc, const std::string& metrics, const std::string& stressor, const std::string& measurement) {
  const auto rate = stressng::rate_of(metrics, stressor);
  if (!rate) throw std::runtime_error("stress-ng reported no rate of its stressor " + stressor);
  doc.measurement(measurement, "operations/s", Better::Higher).add("node", Summary{*rate, 1});
}

// Returns the seconds that it took.
double pass_over_all(Document& doc, std::int64_t workers, double seconds, std::int64_t bytes) {
  const auto start = Clock::now();
  const std::string metrics = stress(doc, stressng::zeros_and_ones(workers, seconds, bytes));
  const double taken = std::chrono::duration<double>(Clock::now() - start).count();
  const std::int64_t timeout = stressng::timeout_seconds(seconds);
  if (taken >= static_cast<double>(timeout)) {  // stress-ng itself says nothing of a pass that it broke off
    doc.note("zeros and ones did not get over all of the memory within " + std::to_string(timeout) +
             " s: choose more --seconds or a smaller --memory-fraction");
    return taken;
  }
  const std::int64_t passed = std::min(bytes, stressng::bytes_passed(metrics));
  doc.parameter("bytesVerified", passed);
  if (!stressng::went_over_all(passed, workers, bytes)) {
    doc.note("zeros and ones did not get over all of the memory: " + std::to_string(passed) + " of " + std::to_string(bytes) +
             " bytes were verified, before a worker was killed or got no memory; choose a smaller --memory-fraction");
  }
  return taken;
}

void measure(const Options& options, Document& doc) {
  const std::int64_t workers = usable_cores();
  const auto bytes = static_cast<std::int64_t>(options.memory_fraction * static_cast<double>(usable_memory_bytes()));
  doc.parameter("workers", workers);
  doc.parameter("bytes", bytes);
  doc.parameter("seconds", options.seconds);
  std::cerr << "stressng: " << workers << " workers, then " << (bytes >> 20) << " MiB of memory" << std::endl;
  const double half = options.seconds / 2;
  report_rate(doc, stress(doc, stressng::processors(workers, half)), "cpu", "processorRate");
  const double taken = pass_over_all(doc, workers, half / 2, bytes);
  const double left = std::max(half - taken, half / 2);
  const std::int64_t small = stressng::pattern_bytes(workers, half / 2, bytes);  // the same whatever is left
  doc.parameter("patternBytes", small);
  report_rate(doc, stress(doc, stressng::patterns(workers, left, small)), "vm", "memoryRate");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("stressng", "Processors and memory by stress-ng, with every result verified.");
  args.number("--seconds", options.seconds, 1, 86400, "time, half of it for the processors and half for the memory");
  args.number("--memory-fraction", options.memory_fraction, 0.0001, 0.9, "share of the usable memory that is tested");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("stress-ng", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
