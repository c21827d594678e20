// What this container may use, from cgroup v2 or v1 and /proc. Paths hang under a root so that tests can make up a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assay {

// The smaller of the node's MemAvailable and what every enclosing cgroup's memory limit leaves.
std::int64_t usable_memory_bytes(const std::string& root = "");

// CPUs' worth of time that the tightest enclosing cgroup allows (4.0 for "400000 100000"); nothing without a limit.
std::optional<double> cpu_quota(const std::string& root = "");

}  // namespace assay
