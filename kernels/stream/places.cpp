#include "stream/places.hpp"

#include <algorithm>

namespace assay::stream {
namespace {

std::int64_t array_size(const Place& place, std::int64_t given) {
  constexpr std::int64_t kLineBytes = 64;
  const std::int64_t wanted =
      given > 0 ? given : std::max(kLeastArrayBytes, kCacheMultiple * place.last_level_cache_bytes);
  return wanted / kLineBytes * kLineBytes;
}

}  // namespace

std::vector<Run> plan(const Topology& topology, std::int64_t array_bytes) {
  std::vector<Run> runs;
  for (const Place& place : distinct_places(topology)) {
    Run run{place.name, place, std::nullopt, false, array_size(place, array_bytes)};
    if (place.memory.size() == 1) run.memory = place;
    runs.push_back(run);
  }
  const auto domains = topology.numa_domains();
  for (const Place& memory : domains) {
    for (const Place& threads : domains) {
      if (threads.name == memory.name) continue;
      runs.push_back({threads.name + "->" + memory.name, threads, memory, true, array_size(threads, array_bytes)});
    }
  }
  return runs;
}

}  // namespace assay::stream
