// Whether processors and memory compute and keep what they should, by stress-ng: starts it for the processors, then for the memory, with every
// result verified, and prints a document of what it said.
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

// Runs one stressor. stress-ng verifies at every step, and writes a line for what is wrong.
void stress(Document& doc, const std::vector<std::string>& words, const std::string& stressor, const std::string& measurement) {
  const TemporaryFolder folder("stress-ng");
  const int code = run_to_end({words, folder.path()});
  if (code == kNotInstalled) throw CannotRun("stress-ng is not installed");
  const auto failures = stressng::failures_in(contents(folder.path() / stressng::kLog), kMostFailures);
  for (const auto& failure : failures) doc.check("verified", false, failure);
  doc.check("verified", failures.empty());
  throw_if_stopped();
  if (code != 0 && failures.empty()) throw std::runtime_error("stress-ng ended with exit code " + std::to_string(code) + ": its log says why");
  const auto rate = stressng::rate_of(contents(folder.path() / stressng::kMetrics), stressor);
  if (!rate) throw std::runtime_error("stress-ng reported no rate of its stressor " + stressor);
  doc.measurement(measurement, "operations/s", Better::Higher).add("node", Summary{*rate, 1});
}

void measure(const Options& options, Document& doc) {
  const std::int64_t workers = usable_cores();
  const auto bytes = static_cast<std::int64_t>(options.memory_fraction * static_cast<double>(usable_memory_bytes()));
  doc.parameter("workers", workers);
  doc.parameter("bytes", bytes);
  doc.parameter("seconds", options.seconds);
  std::cerr << "stressng: " << workers << " workers, then " << (bytes >> 20) << " MiB of memory" << std::endl;
  stress(doc, stressng::processors(workers, options.seconds / 2), "cpu", "processorRate");
  stress(doc, stressng::memory(workers, options.seconds / 2, bytes), "vm", "memoryRate");
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
