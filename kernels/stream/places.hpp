// Which runs a machine gets: where the threads are, where the memory is, how large the arrays are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/host/topology.hpp"

namespace assay::stream {

struct Run {
  std::string at;                 // node, socket0, numa0, or numa0->numa1: threads on 0, memory on 1
  Place threads;
  std::optional<Place> memory;    // the one domain that holds the arrays; nothing: each thread's own
  bool remote = false;            // only Triad
  std::int64_t array_bytes = 0;   // of each of the three arrays
};

// The node, each socket, each NUMA domain, and every ordered pair of different domains. Arrays of 4 times the last-level
// cache of the place, as STREAM's run rules ask (and at least kLeastArrayBytes), unless array_bytes is given.
std::vector<Run> plan(const Topology& topology, std::int64_t array_bytes);

inline constexpr std::int64_t kLeastArrayBytes = std::int64_t{128} << 20;
inline constexpr std::int64_t kCacheMultiple = 4;

}  // namespace assay::stream
