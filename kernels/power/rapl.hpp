// Power of the processors by their energy counters (RAPL), and of the machine by its own meter (ACPI).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inventory/tree.hpp"

namespace assay::power {

// The packages of a machine. A counter starts again from 0 past its range.
class Rapl {
 public:
  explicit Rapl(const inventory::Tree& tree);

  // Why there is nothing to read; empty where there is.
  const std::string& problem() const { return problem_; }

  // Joules of all packages since the last call; absent at the first, and where a counter cannot be read.
  std::optional<double> advance();

 private:
  struct Zone {
    std::string counter;
    std::int64_t range;
    std::optional<std::int64_t> last;
  };
  const inventory::Tree& tree_;
  std::vector<Zone> zones_;
  std::string problem_;
};

// The machine's own meter, which few machines have.
std::optional<double> node_watts(const inventory::Tree& tree);

// What /proc/stat counts of all processors: time at work, and all of it.
struct ProcessorTime {
  double busy = 0;
  double all = 0;
};
std::optional<ProcessorTime> processor_time(const inventory::Tree& tree);

}  // namespace assay::power
