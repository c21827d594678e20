#include "collectives/figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "common/cuda/flow.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/stop.hpp"

extern char** environ;

namespace assay::collectives {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
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

// What each of two buffers may take of a GPU's free memory: NCCL needs some too, and fails in ways that do not say so.
std::size_t buffer_bytes_within(std::size_t free) {
  constexpr std::size_t kNcclBytes = std::size_t{2} << 30;
  return std::min(free / 5 * 2, (free - std::min(free, kNcclBytes)) / 2);
}

}  // namespace

std::size_t fit_buffers(const Plan& plan, const std::vector<cuda::Gpu>& gpus, const World& world, Document& doc) {
  const auto wanted = static_cast<std::size_t>(*std::max_element(plan.sizes.begin(), plan.sizes.end()));
  const std::size_t largest = usable_bytes(Operation::AllGather, wanted, world.size() * static_cast<int>(gpus.size()), sizeof(float));
  constexpr std::size_t kLeastBytes = std::size_t{64} << 20;
  std::size_t fitting = 0;
  world.together([&] {
    fitting = cuda::fit_memory(gpus, {largest, std::min(largest, kLeastBytes)}, buffer_bytes_within, "buffers", doc);
  });
  return static_cast<std::size_t>(-world.max(-static_cast<double>(fitting)));
}

void describe(const Plan& plan, const Ranks& ranks, const World& world, Document& doc) {
  doc.parameter("ranks", ranks.count());
  doc.parameter("processes", world.size());
  doc.parameter("nccl", nccl_version());
  doc.parameter("algorithm", plan.ring ? "ring, NVLS off" : "NCCL's choice");
  doc.parameter("environment", nccl_environment());
}

// All processes feed their rule with the same numbers, so that they stop at the same sample; one that is told to end tells all.
template <typename Seconds>
StoppingRule Figures::sample(Seconds seconds, const std::vector<Sample>& first) {
  StoppingRule rule{6, 40, plan_.tolerance, plan_.budget_seconds};
  for (const Sample& each : first) rule.add(each.value, each.cost);
  while (!rule.has_enough()) {
    world_.together(assay::throw_if_stopped);
    cuda::look_between_samples();
    const cuda::Stopwatch watch;
    const double value = seconds();
    rule.add(value, world_.max(watch.seconds()));
  }
  return rule;
}

void Figures::run() {
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    if (!contains(plan_.operations, kOperationNames[i])) continue;
    std::set<std::size_t> known;
    for (const std::int64_t size : plan_.sizes) {
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
}

void Figures::measure_placements(Operation operation, std::size_t bytes) {
  const std::string prefix = name_of(operation) + (plan_.ring ? "Ring" : "");
  if (contains(plan_.placements, "out")) measure({operation, bytes, Placement::OutOfPlace}, prefix);
  if (contains(plan_.placements, "in") && has_in_place(operation)) {
    measure({operation, bytes, Placement::InPlace}, prefix + "InPlace");
  }
}

void Figures::measure(const Call& call, const std::string& prefix) {
  verify(call, prefix);
  constexpr double kSampleSeconds = 0.01;
  constexpr int kMostIterations = 20;
  const cuda::Stopwatch watch;
  const double once = ranks_.seconds_of_one(call, 1);
  const Sample of_one{once, world_.max(watch.seconds())};
  const int iterations = std::clamp(static_cast<int>(kSampleSeconds / once), plan_.least_iterations, kMostIterations);
  std::vector<Sample> first;
  if (iterations == 1) first.push_back(of_one);  // is a sample like the others
  const StoppingRule seconds = sample([&] { return ranks_.seconds_of_one(call, iterations); }, first);
  const auto add = [&](const std::string& name, const std::string& unit, Better better, const Summary& summary) {
    doc_.measurement(prefix + name, unit, better).add(size_name(call.bytes), summary);
  };
  const auto microseconds = [](double each) { return each * 1e6; };
  constexpr std::size_t kLargestLatencyBytes = 64 << 10;
  if (call.bytes <= kLargestLatencyBytes) {
    add("Latency", "us", Better::Lower, seconds.summary_of(microseconds));
    const StoppingRule launched = sample([&] { return ranks_.launched_seconds_of_one(call, iterations); }, {});
    add("LaunchedLatency", "us", Better::Lower, launched.summary_of(microseconds));
    return;
  }
  const auto algorithm = [&](double each) { return algorithm_bandwidth(static_cast<double>(call.bytes), each); };
  const Summary bandwidth = seconds.summary_of(algorithm);
  if (!plan_.only_bus) add("AlgorithmBandwidth", "GB/s", Better::Higher, bandwidth);
  add("BusBandwidth", "GB/s", Better::Higher, assay::rescaled(bandwidth, bus_factor(call.operation, ranks_.count())));
}

void Figures::verify(const Call& call, const std::string& prefix) {
  const std::string where = prefix + " " + size_name(call.bytes);
  double wrong = 0;
  for (const auto& [rank, mismatch] : ranks_.run_verified(call, plan_.inject_bitflip)) {
    integrity_.expect(where + " rank" + std::to_string(rank), mismatch);
    wrong += mismatch.none() ? 0 : 1;
  }
  if (const double all_wrong = world_.sum(wrong); all_wrong > wrong) {
    integrity_.expect(where, false, std::to_string(std::lround(all_wrong - wrong)) + " ranks of other processes received wrong data");
  }
}

}  // namespace assay::collectives
