#include "mpibench/suite.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace assay::mpibench {
namespace {

constexpr std::size_t kSmallBytes = 8;  // of messages that show latency and rate
constexpr int kWindow = 64;             // OSU's
constexpr std::size_t kMostPairs = 512;  // a document holds 1024 parts of a measurement, and bandwidth has two for a pair

Place place_of(const Options& options) { return options.buffers == "cuda" ? Place::Gpu : Place::Host; }

Summary scaled(const Summary& summary, double value) { return {value, summary.samples, summary.spread}; }

}  // namespace

struct Suite::PointMode {
  std::string mode;
  std::string metric;
  std::string unit;
  Better better;
  Traffic traffic;
  bool is_small;     // measured with messages of kSmallBytes, else with the largest
  bool is_directed;  // measured in both directions, one after the other
  bool all_ranks;    // of both hosts, else the first of each

  double value(std::size_t bytes, double seconds, std::size_t links) const {
    const auto size = static_cast<double>(bytes);
    if (mode == "latency") return seconds / 2 * 1e6;
    if (mode == "bandwidth") return size / seconds * 1e-9;
    if (mode == "bidirectional") return 2 * size / seconds * 1e-9;
    return static_cast<double>(links) / seconds;
  }
  std::string part(const std::string& leader, const std::string& other) const {
    return is_directed ? directed(leader, other) : undirected(leader, other);
  }
};

struct Suite::CollectiveMode {
  std::string mode;
  std::string latency_metric;
  std::string bandwidth_metric;  // empty: has none
  Operation operation;
  double (*bus_bandwidth)(std::size_t bytes, double seconds, int ranks);
};

const std::vector<Suite::PointMode>& Suite::point_modes() {
  static const std::vector<PointMode> modes{
      {"latency", "latency", "us", Better::Lower, Traffic::PingPong, true, false, false},
      {"bandwidth", "bandwidth", "GB/s", Better::Higher, Traffic::OneWay, false, true, false},
      {"bidirectional", "bidirectionalBandwidth", "GB/s", Better::Higher, Traffic::BothWays, false, false, false},
      {"messageRate", "messageRate", "messages/s", Better::Higher, Traffic::OneWay, true, false, true}};
  return modes;
}

const std::vector<Suite::CollectiveMode>& Suite::collective_modes() {
  static const std::vector<CollectiveMode> modes{
      {"allreduce", "allreduceLatency", "allreduceBandwidth", Operation::Allreduce, allreduce_bus_bandwidth},
      {"alltoall", "alltoallLatency", "alltoallBandwidth", Operation::Alltoall, alltoall_bus_bandwidth},
      {"barrier", "barrierLatency", "", Operation::Barrier, nullptr}};
  return modes;
}

Suite::Suite(const World& world, const Options& options, std::vector<Endpoint> endpoints, Document& doc)
    : world_(world),
      options_(options),
      endpoints_(std::move(endpoints)),
      rounds_(pair_rounds(endpoints_.size(), static_cast<std::size_t>(options.rounds), kMostPairs)),
      doc_(doc),
      point_(place_of(options), world.rank(), static_cast<std::size_t>(options.most_bytes)),
      collective_(place_of(options), world, static_cast<std::size_t>(options.most_bytes)),
      budget_seconds_(options.seconds / std::max(planned_measurements(), 1.0)) {}

bool Suite::wants(const std::string& mode) const {
  return std::find(options_.modes.begin(), options_.modes.end(), mode) != options_.modes.end();
}

double Suite::planned_measurements() const {
  const auto sizes = options_.sweep ? static_cast<double>(sweep_sizes(static_cast<std::size_t>(options_.most_bytes)).size()) : 0.0;
  double planned = 0;
  for (const auto& mode : point_modes()) {
    if (wants(mode.mode)) planned += static_cast<double>(rounds_.size()) * (mode.is_directed ? 2 : 1) + sizes;
  }
  for (const auto& mode : collective_modes()) {
    if (wants(mode.mode)) planned += mode.operation == Operation::Barrier ? 1 : sizes + (mode.operation == Operation::Allreduce ? 2 : 1);
  }
  return planned;
}

void Suite::run() {
  doc_.parameter("ranks", world_.size());
  doc_.parameter("endpoints", endpoints_.size());
  doc_.parameter("rounds", rounds_.size());
  doc_.parameter("buffers", options_.buffers);
  doc_.parameter("mpi", mpi_library());
  doc_.parameter("smallBytes", kSmallBytes);
  doc_.parameter("largeBytes", options_.most_bytes);
  doc_.parameter("window", kWindow);
  for (const auto& mode : point_modes()) {
    if (wants(mode.mode)) announce(mode.mode);
    if (wants(mode.mode)) measure_rounds(mode);
    if (wants(mode.mode) && options_.sweep) sweep_pairs(mode);
  }
  for (const auto& mode : collective_modes()) {
    if (wants(mode.mode)) announce(mode.mode);
    if (wants(mode.mode)) measure_all(mode);
    if (wants(mode.mode) && options_.sweep && mode.operation != Operation::Barrier) sweep_all(mode);
  }
  doc_.check("dataIntegrity", wrong_count_ == 0, wrong_);
  if (unsteady_ > 0) {
    doc_.note("the level did not become steady in " + std::to_string(unsteady_) + " measurements, the first " + unsteady_example_);
  }
}

void Suite::announce(const std::string& mode) const {
  if (world_.is_first()) std::cerr << "mpibench: measuring " << mode << std::endl;
}

void Suite::measure_rounds(const PointMode& mode) {
  const std::size_t bytes = mode.is_small ? kSmallBytes : static_cast<std::size_t>(options_.most_bytes);
  for (const auto& round : rounds_) {
    for (const bool is_reversed : {false, true}) {
      if (is_reversed && !mode.is_directed) continue;
      const auto roles = roles_of(round, endpoints_, world_.size(), mode.all_ranks, is_reversed);
      const auto sampled = exchange(mode, bytes, roles);
      for (std::size_t pair = 0; pair < sampled.size(); ++pair) {
        const Endpoint& leader = endpoints_[is_reversed ? round[pair].second : round[pair].first];
        const Endpoint& other = endpoints_[is_reversed ? round[pair].first : round[pair].second];
        const std::size_t links = mode.all_ranks ? std::min(leader.ranks.size(), other.ranks.size()) : 1;
        const std::string part = mode.part(leader.name, other.name);
        const double value = mode.value(bytes, sampled[pair].seconds.value, links);
        doc_.measurement(mode.metric, mode.unit, mode.better).add(part, scaled(sampled[pair].seconds, value));
        note_unsteady(mode.metric + " " + part, sampled[pair]);
        if (!mode.is_small && sampled[pair].window < kWindow) doc_.parameter("smallestWindow", sampled[pair].window);
      }
    }
  }
}

// By size, the slowest pair of the first round.
void Suite::sweep_pairs(const PointMode& mode) {
  const auto roles = roles_of(rounds_.front(), endpoints_, world_.size(), mode.all_ranks, false);
  for (const std::size_t bytes : sweep_sizes(static_cast<std::size_t>(options_.most_bytes))) {
    const auto sampled = exchange(mode, bytes, roles);
    const auto slowest = std::max_element(sampled.begin(), sampled.end(), [](const Sampled& one, const Sampled& other) {
      return one.seconds.value < other.seconds.value;
    });
    if (slowest == sampled.end()) continue;  // not the first rank
    const auto& pair = rounds_.front()[static_cast<std::size_t>(slowest - sampled.begin())];
    const std::size_t links = mode.all_ranks ? std::min(endpoints_[pair.first].ranks.size(), endpoints_[pair.second].ranks.size()) : 1;
    doc_.measurement(mode.metric + "BySize", mode.unit, mode.better)
        .add(size_part(bytes), scaled(slowest->seconds, mode.value(bytes, slowest->seconds.value, links)));
  }
}

void Suite::measure_all(const CollectiveMode& mode) {
  // An alltoall has no latency of its own beside the allreduce's.
  if (mode.operation != Operation::Alltoall) {
    for (const Sampled& sampled : operate(mode, collective_.usable_bytes(mode.operation, kSmallBytes))) {
      doc_.measurement(mode.latency_metric, "us", Better::Lower).add("all", scaled(sampled.seconds, sampled.seconds.value * 1e6));
      note_unsteady(mode.latency_metric, sampled);
    }
  }
  if (mode.bandwidth_metric.empty()) return;
  const std::size_t bytes = collective_.usable_bytes(mode.operation, static_cast<std::size_t>(options_.most_bytes));
  for (const Sampled& sampled : operate(mode, bytes)) {
    const double value = mode.bus_bandwidth(bytes, sampled.seconds.value, world_.size());
    doc_.measurement(mode.bandwidth_metric, "GB/s", Better::Higher).add("all", scaled(sampled.seconds, value));
    note_unsteady(mode.bandwidth_metric, sampled);
  }
}

void Suite::sweep_all(const CollectiveMode& mode) {
  std::size_t last = 0;
  for (const std::size_t size : sweep_sizes(static_cast<std::size_t>(options_.most_bytes))) {
    const std::size_t bytes = collective_.usable_bytes(mode.operation, size);
    if (std::exchange(last, bytes) == bytes) continue;  // rounded to the same
    for (const Sampled& sampled : operate(mode, bytes)) {
      doc_.measurement(mode.latency_metric + "BySize", "us", Better::Lower)
          .add(size_part(bytes), scaled(sampled.seconds, sampled.seconds.value * 1e6));
    }
  }
}

// Verified before, with a place for each message where there is room, and after: what the last sample left behind.
std::vector<Sampled> Suite::exchange(const PointMode& mode, std::size_t bytes, const std::vector<Role>& roles) {
  const Role& own = roles[static_cast<std::size_t>(world_.rank())];
  const std::string what = mode.metric + " of " + size_part(bytes);
  point_.prepare(mode.traffic, own, bytes);
  world_.barrier();
  point_.run(mode.traffic, own, bytes, {point_.places(mode.traffic, bytes), 1});
  verify(what, roles, point_.wrong_messages(mode.traffic, own, bytes, options_.inject_bitflip));
  const Sampling sampling{mode.traffic == Traffic::PingPong ? 1 : kWindow, budget_seconds_};
  const auto sampled = sample(world_, roles, sampling, [&](const Role& role, const Load& load) {
    return point_.run(mode.traffic, role, bytes, load);
  });
  verify(what, roles, point_.wrong_messages(mode.traffic, own, bytes, false));
  return sampled;
}

std::vector<Sampled> Suite::operate(const CollectiveMode& mode, std::size_t bytes) {
  const std::vector<Role> roles(static_cast<std::size_t>(world_.size()), Role{0, -1, true});
  const std::string what = mode.mode + " of " + size_part(bytes);
  collective_.prepare(mode.operation, bytes);
  world_.barrier();
  collective_.run(mode.operation, bytes, {});
  verify(what, roles, collective_.wrong_results(mode.operation, bytes, options_.inject_bitflip));
  const auto sampled = sample(world_, roles, {1, budget_seconds_}, [&](const Role&, const Load& load) {
    return collective_.run(mode.operation, bytes, load);
  });
  verify(what, roles, collective_.wrong_results(mode.operation, bytes, false));
  return sampled;
}

void Suite::verify(const std::string& what, const std::vector<Role>& roles, int wrong) {
  constexpr int kShown = 3;  // a message has to stay short
  const auto counts = world_.gather(wrong);
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (counts[rank] == 0 || ++wrong_count_ > kShown) continue;
    const int peer = roles[rank].peer;
    wrong_ += (wrong_.empty() ? "" : "; ") + what + ": rank " + std::to_string(rank) + " received wrong data" +
              (peer >= 0 ? " from rank " + std::to_string(peer) : "");
  }
}

void Suite::note_unsteady(const std::string& what, const Sampled& sampled) {
  if (!sampled.is_steady && ++unsteady_ == 1) unsteady_example_ = what;
}

}  // namespace assay::mpibench
