// OpenMP threads, one per core of a place, each pinned to its core.
#pragma once

#include "common/host/topology.hpp"

namespace assay {

// Sizes the OpenMP team to the place and pins its threads; parallel regions that follow run there. Throws when a thread cannot
// be had or pinned: a measurement on other cores than the ones it names would be worth nothing.
void pin_team(const Topology& topology, const Place& place);

}  // namespace assay
