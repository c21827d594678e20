// hostlink: bandwidth and latency between the host and its GPUs, each alone and all at once, from near and far memory.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "common/args.hpp"
#include "common/cuda/telemetry.hpp"
#include "common/program.hpp"
#include "hostlink/link.hpp"

namespace {

using assay::Better;
using assay::Document;
using assay::StoppingRule;
using namespace assay::hostlink;
namespace cuda = assay::cuda;

constexpr std::size_t kMebibyte = 1 << 20;
const std::vector<std::string> kModes{"alone", "concurrent", "pageable", "far", "latency"};

struct Options {
  std::int64_t gpus = 0;
  std::int64_t bytes = 256 << 20;  // of each buffer
  double budget_seconds = 0.3;
  std::vector<std::string> modes = kModes;
  bool sweep = false;
  bool inject_bitflip = false;

  bool wants(const std::string& mode) const { return std::find(modes.begin(), modes.end(), mode) != modes.end(); }
};

using Links = std::vector<std::unique_ptr<Link>>;
using Directions = std::vector<Direction>;
const Directions kToDevice{Direction::ToDevice};
const Directions kToHost{Direction::ToHost};
const Directions kBothWays{Direction::ToDevice, Direction::ToHost};

class Program {
 public:
  Program(const Options& options, Links& links, Document& doc, cuda::Integrity& integrity)
      : options_(options), links_(links), doc_(doc), integrity_(integrity) {}

  void run() {
    std::vector<Link*> all;
    for (const auto& link : links_) all.push_back(link.get());
    if (options_.wants("alone")) {
      for (Link* link : all) {
        measure({link}, kToDevice, "hostToDeviceBandwidth");
        measure({link}, kToHost, "deviceToHostBandwidth");
        measure({link}, kBothWays, "bothWaysBandwidth");
      }
    }
    if (options_.wants("concurrent") && all.size() > 1) {
      measure(all, kToDevice, "concurrentHostToDeviceBandwidth");
      measure(all, kToHost, "concurrentDeviceToHostBandwidth");
      measure(all, kBothWays, "concurrentBothWaysBandwidth");
    }
    if (options_.sweep) sweep(all);
    if (options_.wants("pageable")) {
      for (Link* link : all) {
        measure_pageable(*link, Direction::ToDevice, "pageableHostToDeviceBandwidth");
        measure_pageable(*link, Direction::ToHost, "pageableDeviceToHostBandwidth");
      }
    }
    if (options_.wants("latency")) measure_latency();
  }

  // From memory of a NUMA node that is not the GPU's own.
  void measure_far(int node) {
    for (const auto& link : links_) {
      const std::string part = link->gpu().name() + "-numa" + std::to_string(node);
      measure({link.get()}, kToDevice, "farHostToDeviceBandwidth", part);
      measure({link.get()}, kToHost, "farDeviceToHostBandwidth", part);
    }
  }

 private:
  double gigabytes() const { return static_cast<double>(links_[0]->bytes()) * 1e-9; }

  // One figure per link: the sum of its directions.
  std::vector<assay::Summary> rates(const std::vector<Link*>& which, const Directions& directions, const std::string& name) {
    std::vector<cuda::Flow> flows;
    for (Link* link : which) {
      for (const Direction direction : directions) {
        link->poison_target(direction);
        flows.push_back(link->flow(direction));
      }
    }
    const cuda::Repeats repeats{which.size() > 1 ? 4 : 2, flows.size() > 1 ? 1 : 0, 1};
    const auto summaries = cuda::collect_together(which.size() + 1, rule(), [&] {
      const auto seconds = cuda::time_together(latch_, flows, repeats);
      std::vector<double> rates(which.size() + 1, 0);
      for (std::size_t i = 0; i < flows.size(); ++i) {
        const double rate = repeats.timed * gigabytes() / seconds[i];
        rates[i / directions.size()] += rate;
        rates.back() += rate;
      }
      return rates;
    });
    for (Link* link : which) {
      for (const Direction direction : directions) link->verify_target(direction, name, options_.inject_bitflip, integrity_);
    }
    return summaries;
  }

  void measure(const std::vector<Link*>& which, const Directions& directions, const std::string& name,
               const std::string& part = "") {
    const auto summaries = rates(which, directions, name);
    auto& measurement = doc_.measurement(name, "GB/s", Better::Higher);
    for (std::size_t i = 0; i < which.size(); ++i) {
      measurement.add(part.empty() ? which[i]->gpu().name() : part, summaries[i]);
    }
  }

  // What 1, 2, ... GPUs get together: a shared uplink shows as a sum that stops growing.
  void sweep(const std::vector<Link*>& all) {
    for (std::size_t n = 1; n <= all.size(); ++n) {
      const std::vector<Link*> first(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
      const std::string part = "gpus" + std::to_string(n);
      doc_.measurement("totalHostToDeviceBandwidth", "GB/s", Better::Higher)
          .add(part, rates(first, kToDevice, "totalHostToDeviceBandwidth").back());
      doc_.measurement("totalDeviceToHostBandwidth", "GB/s", Better::Higher)
          .add(part, rates(first, kToHost, "totalDeviceToHostBandwidth").back());
    }
  }

  void measure_pageable(Link& link, Direction direction, const std::string& name) {
    link.poison_target(direction);
    const double gigabytes = static_cast<double>(link.pageable_bytes()) * 1e-9;
    doc_.measurement(name, "GB/s", Better::Higher)
        .add(link.gpu().name(), cuda::collect(StoppingRule{6, 20, 0.02, options_.budget_seconds / 2}, [&] {
               return gigabytes / link.pageable_copy_seconds(direction);
             }));
    link.verify_pageable(direction, name, options_.inject_bitflip, integrity_);
  }

  void measure_latency() {
    constexpr std::uint64_t kSteps = 64;
    for (const auto& link : links_) {
      doc_.measurement("hostLoadLatency", "ns", Better::Lower).add(link->gpu().name(), cuda::collect(rule(), [&] {
        return link->load_latency_ns(kSteps);
      }));
    }
  }

  StoppingRule rule() const { return {6, 30, 0.002, options_.budget_seconds}; }

  const Options& options_;
  Links& links_;
  Document& doc_;
  cuda::Integrity& integrity_;
  cuda::Latch latch_;
};

// Near memory where the system says which that is.
std::vector<int> near_nodes(const std::vector<cuda::Gpu>& gpus) {
  std::vector<int> nodes;
  for (const auto& gpu : gpus) nodes.push_back(gpu.numa_node >= 0 ? gpu.numa_node : cuda::HostBuffer::kAnyNode);
  return nodes;
}

void measure_far_nodes(const Options& options, const std::vector<cuda::Gpu>& gpus, std::size_t bytes, Document& doc,
                       cuda::Integrity& integrity) {
  const auto nodes = cuda::numa_nodes();
  if (nodes.size() < 2) return doc.note("far host memory left out: one NUMA node");
  for (const int node : nodes) {
    std::vector<cuda::Gpu> far_from;
    for (const auto& gpu : gpus) {
      if (gpu.numa_node >= 0 && gpu.numa_node != node) far_from.push_back(gpu);
    }
    if (far_from.empty()) continue;
    auto links = make_links(far_from, bytes, std::vector<int>(far_from.size(), node));
    if (!links[0]->is_placed()) {
      doc.note("far host memory on NUMA node " + std::to_string(node) + " left out: the system refused to place memory there");
      continue;
    }
    Program(options, links, doc, integrity).measure_far(node);
  }
}

void measure(const Options& options, Document& doc) {
  const auto gpus = cuda::open_gpus(options.gpus);
  cuda::describe(gpus, doc);
  const auto bytes = static_cast<std::size_t>(options.bytes) / kMebibyte * kMebibyte;
  doc.parameter("bytes", bytes);
  cuda::Telemetry telemetry(gpus, cuda::Telemetry::Sampling::Off);
  cuda::Integrity integrity;
  {
    auto links = make_links(gpus, bytes, near_nodes(gpus));
    Program(options, links, doc, integrity).run();
  }
  if (options.wants("far")) measure_far_nodes(options, gpus, bytes, doc, integrity);
  telemetry.report(doc);
  integrity.report(doc);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  assay::Args args("hostlink", "Bandwidth and latency between the host and its GPUs");
  args.integer("--gpus", options.gpus, 0, 64, "use the first N GPUs; 0: all");
  args.bytes(options.bytes, 4 * kMebibyte, 65536 * kMebibyte, "size of each pinned buffer, in whole MiB");
  args.number("--budget-seconds", options.budget_seconds, 0.001, 60, "most seconds of sampling per figure");
  args.choices("--modes", options.modes, kModes, "what to measure");
  args.flag("--sweep", options.sweep, "also what 1, 2, ... GPUs get together");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage what was received, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  return assay::run_program("hostlink", std::cout, std::cerr, [&](Document& doc) { measure(options, doc); });
}
