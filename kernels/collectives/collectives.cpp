// collectives: NCCL's collective operations over all GPUs of this process, or of all processes that mpirun started.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/own_gpus.hpp"
#include "collectives/ranks.hpp"
#include "common/args.hpp"
#include "common/cuda/flow.hpp"
#include "common/cuda/integrity.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"

extern char** environ;

namespace {

using assay::Better;
using assay::Document;
using assay::StoppingRule;
using assay::Summary;
using namespace assay::collectives;
namespace cuda = assay::cuda;

const std::vector<std::string> kNames(kOperationNames.begin(), kOperationNames.end());
constexpr std::int64_t kMostBytes = 1LL << 40;

struct Options {
  std::int64_t gpus = 0;
  std::vector<std::int64_t> sizes{8, 65536, 1 << 20, 16 << 20, 256 << 20, 8LL << 30};
  std::vector<std::string> operations = kNames;
  std::vector<std::string> placements{"out"};
  double budget_seconds = 0.5;
  bool ring = false;
  bool inject_bitflip = false;
};

// A ring over the plain links: what their wires carry, without help from the switches.
void force_ring() {
  setenv("NCCL_ALGO", "Ring", 1);
  setenv("NCCL_NVLS_ENABLE", "0", 1);
}

std::string nccl_environment() {
  std::vector<std::string> settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "NCCL_", 5) == 0) settings.emplace_back(*entry);
  }
  std::sort(settings.begin(), settings.end());
  std::string text;
  for (const auto& setting : settings) text += (text.empty() ? "" : " ") + setting;
  return text;
}

class Program {
 public:
  Program(const Options& options, const World& world, Ranks& ranks, std::size_t most_bytes, Document& doc)
      : options_(options), world_(world), ranks_(ranks), most_bytes_(most_bytes), doc_(doc) {}

  void run() {
    for (std::size_t i = 0; i < kOperations.size(); ++i) {
      if (!contains(options_.operations, kOperationNames[i])) continue;
      std::set<std::size_t> known;
      for (const std::int64_t size : options_.sizes) {
        const std::size_t bytes = usable_bytes(kOperations[i], static_cast<std::size_t>(size), ranks_.count(), sizeof(float));
        if (!known.insert(bytes).second) {
          doc_.note(name_of(kOperations[i]) + " of " + std::to_string(size) + " bytes is that of " + size_name(bytes) + ", in whole elements");
        } else if (bytes <= most_bytes_) {
          measure_placements(kOperations[i], bytes);
        } else {
          doc_.note(name_of(kOperations[i]) + " of " + size_name(bytes) + " left out: too little GPU memory");
        }
      }
    }
    integrity_.report(doc_);
  }

 private:
  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void measure_placements(Operation operation, std::size_t bytes) {
    const std::string prefix = name_of(operation) + (options_.ring ? "Ring" : "");
    if (contains(options_.placements, "out")) measure({operation, bytes, Placement::OutOfPlace}, prefix);
    if (contains(options_.placements, "in") && has_in_place(operation)) {
      measure({operation, bytes, Placement::InPlace}, prefix + "InPlace");
    }
  }

  void measure(const Call& call, const std::string& prefix) {
    verify(call, prefix);
    constexpr double kSampleSeconds = 0.01;
    constexpr int kMostIterations = 20;
    const double once = ranks_.seconds_of_one(call, 1);
    const int iterations = std::clamp(static_cast<int>(kSampleSeconds / once), 2, kMostIterations);
    const StoppingRule seconds = sample([&] { return ranks_.seconds_of_one(call, iterations); });
    const auto add = [&](const std::string& name, const std::string& unit, Better better, const Summary& summary) {
      doc_.measurement(prefix + name, unit, better).add(size_name(call.bytes), summary);
    };
    const auto microseconds = [](double each) { return each * 1e6; };
    constexpr std::size_t kLargestLatencyBytes = 64 << 10;
    if (call.bytes <= kLargestLatencyBytes) {
      add("Latency", "us", Better::Lower, seconds.summary_of(microseconds));
      const StoppingRule launched = sample([&] { return ranks_.launched_seconds_of_one(call, iterations); });
      add("LaunchedLatency", "us", Better::Lower, launched.summary_of(microseconds));
      return;
    }
    const auto algorithm = [&](double each) { return algorithm_bandwidth(static_cast<double>(call.bytes), each); };
    const Summary bandwidth = seconds.summary_of(algorithm);
    add("AlgorithmBandwidth", "GB/s", Better::Higher, bandwidth);
    add("BusBandwidth", "GB/s", Better::Higher, assay::rescaled(bandwidth, bus_factor(call.operation, ranks_.count())));
  }

  void verify(const Call& call, const std::string& prefix) {
    const std::string where = prefix + " " + size_name(call.bytes);
    double wrong = 0;
    for (const auto& [rank, mismatch] : ranks_.run_verified(call, options_.inject_bitflip)) {
      integrity_.expect(where + " rank" + std::to_string(rank), mismatch);
      wrong += mismatch.none() ? 0 : 1;
    }
    if (const double all_wrong = world_.sum(wrong); all_wrong > wrong) {
      integrity_.expect(where, false, std::to_string(std::lround(all_wrong - wrong)) + " ranks of other processes received wrong data");
    }
  }

  // All processes feed their rule with the same numbers, so that they stop at the same sample; one that is told to end tells all.
  template <typename Seconds>
  StoppingRule sample(Seconds seconds) {
    StoppingRule rule{6, 40, 0.005, options_.budget_seconds};
    while (!rule.has_enough()) {
      world_.together(assay::throw_if_stopped);
      cuda::look_between_samples();
      const cuda::Stopwatch watch;
      const double value = seconds();
      rule.add(value, world_.max(watch.seconds()));
    }
    return rule;
  }

  const Options& options_;
  const World& world_;
  Ranks& ranks_;
  std::size_t most_bytes_;
  Document& doc_;
  cuda::Integrity integrity_;
};

// What each of two buffers may take of a GPU's free memory: NCCL needs some too, and fails in ways that do not say so.
std::size_t buffer_bytes_within(std::size_t free) {
  constexpr std::size_t kNcclBytes = std::size_t{2} << 30;
  return std::min(free / 5 * 2, (free - std::min(free, kNcclBytes)) / 2);
}

void measure(const Options& options, const World& world, Document& doc) {
  if (options.ring) force_ring();
  const auto gpus = own_gpus(options.gpus, world);
  if (world.size() * static_cast<int>(gpus.size()) < 2) throw assay::CannotRun("needs at least two GPUs, found one");
  cuda::describe(gpus, doc);
  const auto wanted = static_cast<std::size_t>(*std::max_element(options.sizes.begin(), options.sizes.end()));
  const std::size_t largest = usable_bytes(Operation::AllGather, wanted, world.size() * static_cast<int>(gpus.size()), sizeof(float));
  constexpr std::size_t kLeastBytes = std::size_t{64} << 20;
  std::size_t fitting = 0;
  world.together([&] {
    fitting = cuda::fit_memory(gpus, {largest, std::min(largest, kLeastBytes)}, buffer_bytes_within, "buffers", doc);
  });
  const auto most_bytes = static_cast<std::size_t>(-world.max(-static_cast<double>(fitting)));
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::Off, world.size() > 1);
  Ranks ranks(world, gpus, most_bytes);
  doc.parameter("ranks", ranks.count());
  doc.parameter("processes", world.size());
  doc.parameter("nccl", nccl_version());
  doc.parameter("algorithm", options.ring ? "ring, NVLS off" : "NCCL's choice");
  doc.parameter("environment", nccl_environment());
  Program(options, world, ranks, most_bytes, doc).run();
  telemetry.report(doc);
  // The first process speaks for all, so what is wrong with the others' GPUs has to be in its document too.
  const auto hear = [&](const std::string& check, const std::string& complaint) {
    const std::string elsewhere = world.first_complaint(world.rank() == 0 ? "" : complaint);
    if (!elsewhere.empty()) doc.check(check, false, elsewhere);
  };
  hear("otherProcesses", doc.first_failure());
  for (const char* check : {"undisturbed", "comparable"}) hear(check, doc.complaint_of(check));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("collectives", "NCCL collective operations: bandwidth and latency by message size");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.integers("--sizes", options.sizes, 4, kMostBytes, "message sizes in bytes, as NCCL's tests count them");
  args.choices("--operations", options.operations, kNames, "what to measure");
  args.choices("--placements", options.placements, {"out", "in"}, "results in a buffer of their own, or where the data lay");
  args.number("--budget-seconds", options.budget_seconds, 0.001, 600, "most seconds of sampling per operation and size");
  args.flag("--ring", options.ring, "force a ring with NVLS off: the health of the links");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage what was received, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  const World world(&argc, &argv);
  std::ostringstream discarded;  // the first process speaks for all
  std::ostream& out = world.rank() == 0 ? std::cout : discarded;
  bool is_complete = false;
  const int code = assay::run_program("collectives", out, std::cerr, [&](Document& doc) {
    measure(options, world, doc);
    is_complete = true;
  });
  if (!is_complete) world.abandon(code);
  return code;
}
