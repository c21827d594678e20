// Bandwidth and latency between the GPUs of a node, by mode.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cuda/integrity.hpp"
#include "common/document.hpp"
#include "common/sampling.hpp"
#include "p2p/node.hpp"
#include "p2p/report.hpp"
#include "p2p/way.hpp"

namespace assay::p2p {

inline const std::vector<std::string> kModes{"write",  "read",    "bidirectional", "smWrite", "smRead",
                                             "smBidirectional", "latency", "concurrent",    "hostStaged"};

struct Plan {
  double budget_seconds = 0.1;  // most seconds of sampling per pair and mode
  std::vector<std::string> modes = kModes;
  bool all_pairs = false;  // a part for each pair in every mode, however many GPUs
  bool inject_bitflip = false;

  bool wants(const std::string& mode) const;
};

// Two buffers per GPU, each in at most a quarter of what is free on the fullest GPU.
std::size_t fit_buffers(std::size_t wanted, const std::vector<cuda::Gpu>& gpus, Document& doc);

// The number of peers that the driver gives each GPU access to. Of one GPU: none.
void report_peer_access(const Node& node, Document& doc);

class Links {
 public:
  Links(const Plan& plan, Node& node, Document& doc, cuda::Integrity& integrity)
      : plan_(plan), node_(node), doc_(doc), integrity_(integrity) {}

  void run();

 private:
  // Latched: all copies are queued before the first one starts. Otherwise what it takes to queue them is in the time, too.
  enum class Timing { Latched, Launched, Staged };

  void add_parts(const std::string& name, const std::string& unit, Better better, Rank rank, const Results& results, Label label);
  StoppingRule rule() const { return {6, 30, 0.002, plan_.budget_seconds}; }
  void each_way(const std::string& name, const Way& way, Driver driver, Rank rank);
  cuda::Flow flow(const Way& way, const Pair& pair, Driver driver, std::size_t bytes) const;
  std::vector<cuda::Flow> exchange(const Way& way, const Pair& pair, std::size_t bytes) const;
  void poison_both(const Pair& pair);
  void verify_both(const Pair& pair, std::size_t bytes, const std::string& name);
  void both_at_once(const std::string& name, const Way& way, Rank rank);
  void measure_concurrent();
  void measure_latency();
  Results copy_latencies(const std::string& name, Timing timing);
  void measure_host_staged();
  double gigabytes() const { return static_cast<double>(node_.bytes()) * 1e-9; }

  Plan plan_;
  Node& node_;
  Document& doc_;
  cuda::Integrity& integrity_;
};

}  // namespace assay::p2p
