#include "hostlink/copies.hpp"

#include <algorithm>

namespace assay::hostlink {
namespace {

const Directions kToDevice{Direction::ToDevice};
const Directions kToHost{Direction::ToHost};
const Directions kBothWays{Direction::ToDevice, Direction::ToHost};

std::vector<int> near_nodes(const std::vector<cuda::Gpu>& gpus) {
  std::vector<int> nodes;
  for (const auto& gpu : gpus) nodes.push_back(gpu.numa_node >= 0 ? gpu.numa_node : cuda::HostBuffer::kAnyNode);
  return nodes;
}

}  // namespace

bool Plan::wants(const std::string& mode) const { return std::find(modes.begin(), modes.end(), mode) != modes.end(); }

Links make_near_links(const std::vector<cuda::Gpu>& gpus, std::size_t bytes) { return make_links(gpus, bytes, near_nodes(gpus)); }

void Copies::run() {
  std::vector<Link*> all;
  for (const auto& link : links_) all.push_back(link.get());
  if (plan_.wants("alone")) {
    each_alone();
    for (Link* link : all) measure({link}, kBothWays, "bothWaysBandwidth");
  }
  if (plan_.wants("concurrent") && all.size() > 1) {
    measure(all, kToDevice, "concurrentHostToDeviceBandwidth");
    measure(all, kToHost, "concurrentDeviceToHostBandwidth");
    measure(all, kBothWays, "concurrentBothWaysBandwidth");
  }
  if (plan_.sweep) sweep(all);
  if (plan_.wants("pageable")) {
    for (Link* link : all) {
      measure_pageable(*link, Direction::ToDevice, "pageableHostToDeviceBandwidth");
      measure_pageable(*link, Direction::ToHost, "pageableDeviceToHostBandwidth");
    }
  }
  if (plan_.wants("latency")) measure_latency();
}

void Copies::measure_far(int node) {
  for (const auto& link : links_) {
    const std::string part = link->gpu().name() + "-numa" + std::to_string(node);
    measure({link.get()}, kToDevice, "farHostToDeviceBandwidth", part);
    measure({link.get()}, kToHost, "farDeviceToHostBandwidth", part);
  }
}

void Copies::each_alone() {
  for (const auto& link : links_) {
    measure({link.get()}, kToDevice, "hostToDeviceBandwidth");
    measure({link.get()}, kToHost, "deviceToHostBandwidth");
  }
}

// One figure per link: the sum of its directions.
std::vector<Summary> Copies::rates(const std::vector<Link*>& which, const Directions& directions, const std::string& name) {
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
    for (const Direction direction : directions) link->verify_target(direction, name, plan_.inject_bitflip, integrity_);
  }
  return summaries;
}

void Copies::measure(const std::vector<Link*>& which, const Directions& directions, const std::string& name,
             const std::string& part) {
  const auto summaries = rates(which, directions, name);
  auto& measurement = doc_.measurement(name, "GB/s", Better::Higher);
  for (std::size_t i = 0; i < which.size(); ++i) {
    measurement.add(part.empty() ? which[i]->gpu().name() : part, summaries[i]);
  }
}

// What 1, 2, ... GPUs get together: a shared uplink shows as a sum that stops growing.
void Copies::sweep(const std::vector<Link*>& all) {
  for (std::size_t n = 1; n <= all.size(); ++n) {
    const std::vector<Link*> first(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    const std::string part = "gpus" + std::to_string(n);
    doc_.measurement("totalHostToDeviceBandwidth", "GB/s", Better::Higher)
        .add(part, rates(first, kToDevice, "totalHostToDeviceBandwidth").back());
    doc_.measurement("totalDeviceToHostBandwidth", "GB/s", Better::Higher)
        .add(part, rates(first, kToHost, "totalDeviceToHostBandwidth").back());
  }
}

void Copies::measure_pageable(Link& link, Direction direction, const std::string& name) {
  link.poison_target(direction);
  const double gigabytes = static_cast<double>(link.pageable_bytes()) * 1e-9;
  doc_.measurement(name, "GB/s", Better::Higher)
      .add(link.gpu().name(), cuda::collect(StoppingRule{6, 20, 0.02, plan_.budget_seconds / 2}, [&] {
             return gigabytes / link.pageable_copy_seconds(direction);
           }));
  link.verify_pageable(direction, name, plan_.inject_bitflip, integrity_);
}

void Copies::measure_latency() {
  constexpr std::uint64_t kSteps = 64;
  for (const auto& link : links_) {
    doc_.measurement("hostLoadLatency", "ns", Better::Lower).add(link->gpu().name(), cuda::collect(rule(), [&] {
      return link->load_latency_ns(kSteps);
    }));
  }
}

void measure_far_nodes(const Plan& plan, const std::vector<cuda::Gpu>& gpus, std::size_t bytes, Document& doc, cuda::Integrity& integrity) {
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
    Copies(plan, links, doc, integrity).measure_far(node);
  }
}

}  // namespace assay::hostlink
