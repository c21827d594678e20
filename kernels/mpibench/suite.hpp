// What is measured and under which names: runs the modes one after the other on all ranks; the first rank fills the document.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "mpibench/collective.hpp"
#include "mpibench/point.hpp"
#include "mpibench/sampler.hpp"
#include "mpibench/world.hpp"

namespace assay::mpibench {

inline const std::vector<std::string> kModes{"latency",   "bandwidth", "bidirectional", "messageRate",
                                             "allreduce", "alltoall",  "barrier"};

struct Options {
  std::vector<std::string> modes = kModes;
  std::string host_name;
  std::string buffers = "host";
  std::int64_t most_bytes = 4 << 20;
  std::int64_t rounds = 4;
  double seconds = 10;
  bool sweep = false;
  bool inject_bitflip = false;
};

class Suite {
 public:
  Suite(const World& world, const Options& options, std::vector<Endpoint> endpoints, Document& doc);
  void run();

 private:
  struct PointMode;
  struct CollectiveMode;
  static const std::vector<PointMode>& point_modes();
  static const std::vector<CollectiveMode>& collective_modes();

  bool wants(const std::string& mode) const;
  double planned_measurements() const;
  void announce(const std::string& mode) const;
  void measure_rounds(const PointMode& mode);
  void sweep_pairs(const PointMode& mode);
  void measure_all(const CollectiveMode& mode);
  void sweep_all(const CollectiveMode& mode);
  // Verified and sampled; by pair, on the first rank.
  std::vector<Sampled> exchange(const PointMode& mode, std::size_t bytes, const std::vector<Role>& roles);
  std::vector<Sampled> operate(const CollectiveMode& mode, std::size_t bytes);
  void verify(const std::string& what, const std::vector<Role>& roles, int wrong);
  void note_unsteady(const std::string& what, const Sampled& sampled);

  const World& world_;
  const Options& options_;
  std::vector<Endpoint> endpoints_;
  std::vector<std::vector<Pair>> rounds_;
  Document& doc_;
  Point point_;
  Collective collective_;
  double budget_seconds_;
  std::string wrong_;  // what was found, for the check
  int wrong_count_ = 0;
  int unsteady_ = 0;
  std::string unsteady_example_;
};

}  // namespace assay::mpibench
