#include "common/host/topology.hpp"

#include <algorithm>
#include <stdexcept>

namespace assay {
namespace {

std::vector<hwloc_obj_t> objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> found;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
    found.push_back(object);
  }
  return found;
}

void load(hwloc_topology_t topology) {
  if (hwloc_topology_load(topology) != 0) throw std::runtime_error("reading the machine's topology failed");
}

std::int64_t last_level_cache(hwloc_topology_t topology, hwloc_const_cpuset_t cpuset) {
  for (const hwloc_obj_type_t level : {HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
    std::int64_t bytes = 0;
    for (hwloc_obj_t cache : objects(topology, level)) {
      if (hwloc_bitmap_intersects(cache->cpuset, cpuset)) bytes += static_cast<std::int64_t>(cache->attr->cache.size);
    }
    if (bytes > 0) return bytes;
  }
  return 0;
}

}  // namespace

Topology::Topology() {
  hwloc_topology_init(&topology_);
  // Of its own accord hwloc sees the cgroup's CPUs, but not a narrower affinity mask; the second flag needs the first.
  hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
  load(topology_);
}

Topology::Topology(const std::string& synthetic) {
  hwloc_topology_init(&topology_);
  if (hwloc_topology_set_synthetic(topology_, synthetic.c_str()) != 0) {
    hwloc_topology_destroy(topology_);
    throw std::invalid_argument("not a synthetic topology: " + synthetic);
  }
  load(topology_);
}

Topology::~Topology() { hwloc_topology_destroy(topology_); }

Place Topology::place(const std::string& name, hwloc_const_cpuset_t cpuset) const {
  Place result;
  result.name = name;
  result.last_level_cache_bytes = last_level_cache(topology_, cpuset);
  for (hwloc_obj_t core : objects(topology_, HWLOC_OBJ_CORE)) {
    if (hwloc_bitmap_intersects(core->cpuset, cpuset)) {
      result.cpus.push_back(static_cast<unsigned>(hwloc_bitmap_first(core->cpuset)));
    }
  }
  if (result.cpus.empty()) {  // a virtual machine that shows no cores
    for (hwloc_obj_t cpu : objects(topology_, HWLOC_OBJ_PU)) {
      if (hwloc_bitmap_intersects(cpu->cpuset, cpuset)) result.cpus.push_back(cpu->os_index);
    }
  }
  for (hwloc_obj_t domain : objects(topology_, HWLOC_OBJ_NUMANODE)) {
    if (!hwloc_bitmap_intersects(domain->cpuset, cpuset)) continue;
    result.memory.push_back(domain->os_index);
    result.memory_bytes += static_cast<std::int64_t>(domain->attr->numanode.local_memory);
  }
  return result;
}

Place Topology::node() const { return place("node", hwloc_topology_get_topology_cpuset(topology_)); }

std::vector<Place> Topology::sockets() const {
  std::vector<Place> result;
  for (hwloc_obj_t socket : objects(topology_, HWLOC_OBJ_PACKAGE)) {
    if (hwloc_bitmap_iszero(socket->cpuset)) continue;
    result.push_back(place("socket" + std::to_string(socket->os_index), socket->cpuset));
  }
  return result;
}

std::vector<Place> Topology::numa_domains() const {
  std::vector<Place> result;
  for (hwloc_obj_t domain : objects(topology_, HWLOC_OBJ_NUMANODE)) {
    if (hwloc_bitmap_iszero(domain->cpuset)) continue;  // memory without CPUs
    Place numa = place("numa" + std::to_string(domain->os_index), domain->cpuset);
    numa.memory = {domain->os_index};
    numa.memory_bytes = static_cast<std::int64_t>(domain->attr->numanode.local_memory);
    result.push_back(std::move(numa));
  }
  return result;
}

std::vector<Place> distinct_places(const Topology& topology) {
  std::vector<Place> result = {topology.node()};
  const auto add_new = [&](const std::vector<Place>& places) {
    for (const Place& place : places) {
      const bool known = std::any_of(result.begin(), result.end(),
                                     [&](const Place& earlier) { return earlier.cpus == place.cpus; });
      if (!known) result.push_back(place);
    }
  };
  add_new(topology.sockets());
  add_new(topology.numa_domains());
  return result;
}

}  // namespace assay
