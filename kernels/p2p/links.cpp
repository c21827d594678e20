#include "p2p/links.hpp"

#include <algorithm>

#include "common/cuda/chase.hpp"

namespace assay::p2p {
namespace {

constexpr std::size_t kMebibyte = 1 << 20;

}  // namespace

bool Plan::wants(const std::string& mode) const { return std::find(modes.begin(), modes.end(), mode) != modes.end(); }

std::size_t fit_buffers(std::size_t wanted, const std::vector<cuda::Gpu>& gpus, Document& doc) {
  return cuda::fit_memory(gpus, {wanted / kMebibyte * kMebibyte, 4 * kMebibyte}, cuda::equal_share(4), "buffers", doc);
}

void report_peer_access(const Node& node, Document& doc) {
  std::string missing;
  auto& peers = doc.measurement("reachablePeers", "count", Better::Higher);
  std::vector<int> reached(static_cast<std::size_t>(node.size()), 0);
  for (const auto& pair : ordered_pairs(node.size())) {
    if (node.can_reach(pair)) {
      ++reached[static_cast<std::size_t>(pair.from)];
    } else {
      missing += (missing.empty() ? "" : ",") + directed(pair);
    }
  }
  for (int i = 0; i < node.size(); ++i) {
    peers.add(node.gpu(i).name(), {static_cast<double>(reached[static_cast<std::size_t>(i)]), 1, 0});
  }
  if (!missing.empty()) doc.note("no peer access: " + missing);
}

void Links::run() {
  if (plan_.wants("hostStaged")) measure_host_staged();
  node_.enable_peer_access();
  report_peer_access(node_, doc_);
  if (plan_.wants("write")) each_way("writeBandwidth", kWrite, Driver::Source, Rank::Primary);
  if (plan_.wants("read")) each_way("readBandwidth", kRead, Driver::Destination, Rank::Secondary);
  if (plan_.wants("bidirectional")) both_at_once("bidirectionalBandwidth", kWrite, Rank::Primary);
  if (plan_.wants("smWrite")) each_way("smWriteBandwidth", kByKernel, Driver::Source, Rank::Secondary);
  if (plan_.wants("smRead")) each_way("smReadBandwidth", kByKernel, Driver::Destination, Rank::Secondary);
  if (plan_.wants("smBidirectional")) both_at_once("smBidirectionalBandwidth", kByKernel, Rank::Secondary);
  if (plan_.wants("latency")) measure_latency();
  if (plan_.wants("concurrent")) measure_concurrent();
}

void Links::add_parts(const std::string& name, const std::string& unit, Better better, Rank rank, const Results& results, Label label) {
  const bool in_full = plan_.all_pairs || is_in_full(rank, node_.size());
  add_results(doc_.measurement(name, unit, better), better, in_full, results, label);
}

void Links::each_way(const std::string& name, const Way& way, Driver driver, Rank rank) {
  Results results;
  for (const auto& pair : ordered_pairs(node_.size())) {
    if (!node_.can_reach(driver == Driver::Source ? pair : Pair{pair.to, pair.from})) continue;
    node_.poison_inbox(pair.to);
    cuda::time_unlatched({flow(way, pair, driver, kMebibyte)}, {1, 0});  // a kernel's first launch may block
    const std::vector<cuda::Flow> flows{flow(way, pair, driver, node_.bytes())};
    results.emplace_back(pair, cuda::collect(rule(), [&] {
      return way.copies * gigabytes() / cuda::time_together(node_.latch(), flows, way.repeats())[0];
    }));
    node_.verify_inbox(pair, node_.bytes(), name, plan_.inject_bitflip, integrity_);
  }
  add_parts(name, "GB/s", Better::Higher, rank, results, directed);
}

cuda::Flow Links::flow(const Way& way, const Pair& pair, Driver driver, std::size_t bytes) const {
  return way.engine == Engine::Copy ? node_.flow(pair, driver, bytes) : node_.sm_flow(pair, driver, bytes, way.per_launch());
}

std::vector<cuda::Flow> Links::exchange(const Way& way, const Pair& pair, std::size_t bytes) const {
  return {flow(way, pair, Driver::Source, bytes), flow(way, {pair.to, pair.from}, Driver::Source, bytes)};
}

void Links::poison_both(const Pair& pair) {
  node_.poison_inbox(pair.from);
  node_.poison_inbox(pair.to);
}

void Links::verify_both(const Pair& pair, std::size_t bytes, const std::string& name) {
  node_.verify_inbox(pair, bytes, name, plan_.inject_bitflip, integrity_);
  node_.verify_inbox({pair.to, pair.from}, bytes, name, plan_.inject_bitflip, integrity_);
}

void Links::both_at_once(const std::string& name, const Way& way, Rank rank) {
  Results results;
  for (const auto& pair : unordered_pairs(node_.size())) {
    if (!node_.can_exchange(pair)) continue;
    poison_both(pair);
    cuda::time_unlatched(exchange(way, pair, kMebibyte), {1, 0});
    const auto flows = exchange(way, pair, node_.bytes());
    results.emplace_back(pair, cuda::collect(rule(), [&] {
      const auto seconds = cuda::time_together(node_.latch(), flows, way.repeats());
      return 2 * way.copies * gigabytes() / std::max(seconds[0], seconds[1]);
    }));
    verify_both(pair, node_.bytes(), name);
  }
  add_parts(name, "GB/s", Better::Higher, rank, results, both_ways);
}

// Every round of the tournament: all of its pairs exchange at once, so that a switch that cannot carry them shows.
void Links::measure_concurrent() {
  Results results;
  std::vector<Summary> sums;
  for (const auto& round : disjoint_matchings(node_.size())) {
    std::vector<cuda::Flow> flows;
    for (const auto& pair : round) {
      if (!node_.can_exchange(pair)) return doc_.note("concurrent exchange left out: not every pair has peer access");
      poison_both(pair);
      for (auto& flow : exchange(kWrite, pair, node_.bytes())) flows.push_back(flow);
    }
    constexpr int kCopies = 4;
    // The last part is the sum over the pairs.
    const auto summaries = cuda::collect_together(round.size() + 1, rule(), [&] {
      const auto seconds = cuda::time_together(node_.latch(), flows, {kCopies, 1, 1});
      std::vector<double> rates;
      double sum = 0;
      for (std::size_t i = 0; i < round.size(); ++i) {
        rates.push_back(2 * kCopies * gigabytes() / std::max(seconds[2 * i], seconds[2 * i + 1]));
        sum += rates.back();
      }
      rates.push_back(sum);
      return rates;
    });
    for (std::size_t i = 0; i < round.size(); ++i) {
      results.emplace_back(round[i], summaries[i]);
      verify_both(round[i], node_.bytes(), "concurrentBandwidth");
    }
    sums.push_back(summaries.back());
  }
  add_parts("concurrentBandwidth", "GB/s", Better::Higher, Rank::Primary, results, both_ways);
  const auto worst = std::min_element(sums.begin(), sums.end(),
                                      [](const Summary& a, const Summary& b) { return a.value < b.value; });
  doc_.measurement("bisectionBandwidth", "GB/s", Better::Higher).add("node", *worst);
}

void Links::measure_latency() {
  add_parts("copyLatency", "us", Better::Lower, Rank::Secondary, copy_latencies("copyLatency", Timing::Latched), directed);
  add_parts("copyLaunchedLatency", "us", Better::Lower, Rank::Secondary, copy_latencies("copyLaunchedLatency", Timing::Launched), directed);
  constexpr std::size_t kRingBytes = 2 * kMebibyte;
  constexpr std::uint64_t kSteps = 64;  // of each multiprocessor
  Results results;
  for (const auto& pair : ordered_pairs(node_.size())) {
    if (!node_.can_reach(pair)) continue;
    const cuda::Stream& stream = node_.stream(pair.from);
    const int multiprocessors = node_.gpu(pair.from).multiprocessors;
    cuda::queue_chase_setup(node_.inbox(pair.to), kRingBytes, node_.stream(pair.to));
    node_.stream(pair.to).synchronize();
    std::uint64_t astray = 0;
    const auto latency = [&] {
      cuda::Mapped<cuda::Chased> chased;
      cuda::queue_chase(node_.inbox(pair.to), kRingBytes, kSteps, multiprocessors, chased.device(), stream);
      stream.synchronize();
      astray += chased.host().astray;
      return static_cast<double>(chased.host().nanoseconds) / static_cast<double>(kSteps * multiprocessors);
    };
    latency();  // a kernel's first launch is slow
    results.emplace_back(pair, cuda::collect(rule(), latency));
    integrity_.expect("loadLatency " + directed(pair), astray == 0, "the pointer chase ended at the wrong place");
  }
  add_parts("loadLatency", "ns", Better::Lower, Rank::Secondary, results, directed);
}

Results Links::copy_latencies(const std::string& name, Timing timing) {
  constexpr std::size_t kSmallBytes = 16;
  constexpr cuda::Repeats kRepeats{100, 0, 4};
  Results results;
  for (const auto& pair : ordered_pairs(node_.size())) {
    if (timing != Timing::Staged && !node_.can_reach(pair)) continue;
    node_.poison_inbox(pair.to);
    const std::vector<cuda::Flow> flows{node_.flow(pair, Driver::Source, kSmallBytes)};
    results.emplace_back(pair, cuda::collect({6, 60, 0.01, plan_.budget_seconds / 4}, [&] {
      const auto seconds = timing == Timing::Latched ? cuda::time_together(node_.latch(), flows, kRepeats)
                                                     : cuda::time_unlatched(flows, kRepeats);
      return seconds[0] * 1e6 / kRepeats.timed;
    }));
    node_.verify_inbox(pair, kSmallBytes, name, plan_.inject_bitflip, integrity_);
  }
  return results;
}

// With peer access off the driver stages copies through host memory, and may block while it does: no latch.
void Links::measure_host_staged() {
  const std::size_t bytes = std::min(node_.bytes(), 128 * kMebibyte);
  const double gigabytes = static_cast<double>(bytes) * 1e-9;
  const StoppingRule rule{6, 12, 0.02, plan_.budget_seconds};
  Results one_way;
  for (const auto& pair : ordered_pairs(node_.size())) {
    node_.poison_inbox(pair.to);
    const std::vector<cuda::Flow> flows{node_.flow(pair, Driver::Source, bytes)};
    one_way.emplace_back(pair, cuda::collect(rule, [&] { return gigabytes / cuda::time_unlatched(flows, {1, 0})[0]; }));
    node_.verify_inbox(pair, bytes, "hostStagedBandwidth", plan_.inject_bitflip, integrity_);
  }
  Results exchanged;
  for (const auto& pair : unordered_pairs(node_.size())) {
    poison_both(pair);
    const auto flows = exchange(kWrite, pair, bytes);
    exchanged.emplace_back(pair, cuda::collect(rule, [&] {
      const auto seconds = cuda::time_unlatched(flows, {1, 0});
      return 2 * gigabytes / std::max(seconds[0], seconds[1]);
    }));
    verify_both(pair, bytes, "hostStagedBidirectionalBandwidth");
  }
  add_parts("hostStagedBandwidth", "GB/s", Better::Higher, Rank::Secondary, one_way, directed);
  add_parts("hostStagedBidirectionalBandwidth", "GB/s", Better::Higher, Rank::Secondary, exchanged, both_ways);
  add_parts("hostStagedLatency", "us", Better::Lower, Rank::Secondary, copy_latencies("hostStagedLatency", Timing::Staged), directed);
}

}  // namespace assay::p2p
