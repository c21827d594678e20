// Copies between the host and its GPUs, each alone and all at once, from near and far memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cuda/flow.hpp"
#include "common/document.hpp"
#include "common/sampling.hpp"
#include "hostlink/link.hpp"

namespace assay::hostlink {

inline const std::vector<std::string> kModes{"alone", "concurrent", "pageable", "far", "latency"};

struct Plan {
  double budget_seconds = 0.3;  // most seconds of sampling per figure
  double tolerance = 0.002;     // a figure needs no more samples once it is known as closely as this
  std::vector<std::string> modes = kModes;
  bool sweep = false;  // also what 1, 2, ... GPUs get together
  bool inject_bitflip = false;

  bool wants(const std::string& mode) const;
};

using Links = std::vector<std::unique_ptr<Link>>;
using Directions = std::vector<Direction>;

// The links of all GPUs, with near memory where the system says which that is.
Links make_near_links(const std::vector<cuda::Gpu>& gpus, std::size_t bytes);

class Copies {
 public:
  Copies(const Plan& plan, Links& links, Document& doc, cuda::Integrity& integrity)
      : plan_(plan), links_(links), doc_(doc), integrity_(integrity) {}

  void run();

  // One direction after the other, one GPU at a time.
  void each_alone();

  // From memory of a NUMA node that is not the GPU's own.
  void measure_far(int node);

 private:
  double gigabytes() const { return static_cast<double>(links_[0]->bytes()) * 1e-9; }
  StoppingRule rule() const { return {6, 30, plan_.tolerance, plan_.budget_seconds}; }
  std::vector<Summary> rates(const std::vector<Link*>& which, const Directions& directions, const std::string& name);
  void measure(const std::vector<Link*>& which, const Directions& directions, const std::string& name, const std::string& part = "");
  void sweep(const std::vector<Link*>& all);
  void measure_pageable(Link& link, Direction direction, const std::string& name);
  void measure_latency();

  Plan plan_;
  Links& links_;
  Document& doc_;
  cuda::Integrity& integrity_;
  cuda::Latch latch_;
};

void measure_far_nodes(const Plan& plan, const std::vector<cuda::Gpu>& gpus, std::size_t bytes, Document& doc, cuda::Integrity& integrity);

}  // namespace assay::hostlink
