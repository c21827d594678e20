// The places of this machine that a CPU program measures: the node, its sockets, its NUMA domains.
// Only CPUs that this process may use (cgroup cpuset and affinity mask) are seen.
#pragma once

#include <hwloc.h>

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

struct Place {
  std::string name;                         // node, socket0, numa0
  std::vector<unsigned> cpus;               // one hardware thread per core, by OS index
  std::vector<unsigned> memory;             // NUMA domains of these CPUs, by OS index
  std::int64_t last_level_cache_bytes = 0;  // sum over the place; 0 where the system does not tell
  std::int64_t memory_bytes = 0;            // of these domains; 0 where the system does not tell
};

class Topology {
 public:
  // This machine.
  Topology();
  // A made-up machine in hwloc's notation ("pack:2 numa:2 l3:1 core:4 pu:2"), for tests.
  explicit Topology(const std::string& synthetic);
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  Place node() const;
  std::vector<Place> sockets() const;
  std::vector<Place> numa_domains() const;  // those that have a CPU we may use

  hwloc_topology_t handle() const { return topology_; }

 private:
  Place place(const std::string& name, hwloc_const_cpuset_t cpuset) const;
  hwloc_topology_t topology_ = nullptr;
};

// The node, then each socket, then each NUMA domain; a place with the same CPUs as an earlier one is left out
// (on a machine with one socket, socket0 is the node).
std::vector<Place> distinct_places(const Topology& topology);

}  // namespace assay
