// What the driver counts about a GPU, and what a change of these counters during a run means. Host code without CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/document.hpp"

namespace assay::cuda {

// Every value is absent where the GPU or the driver does not have it.
struct Counters {
  using Value = std::optional<std::uint64_t>;
  Value energy_millijoules;
  Value power_cap_ns;         // held below the wanted clock by the power limit: normal under load
  Value thermal_software_ns;  // ... by temperature, gently
  Value thermal_hardware_ns;  // ... by temperature, halved or worse
  Value power_brake_ns;       // ... by the chassis
  Value ecc_corrected;
  Value ecc_uncorrected;
  Value rows_remapped_corrected;
  Value rows_remapped_uncorrected;
  Value row_remap_pending;
  Value row_remap_failed;
  Value pcie_replays;
  Value nvlink_errors;  // CRC, replay and recovery, all links
  Value ecc_enabled;
};

// One look at a GPU. Absent values as above.
struct Reading {
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  std::optional<unsigned> power_milliwatts;
  std::optional<unsigned> celsius;
  std::optional<unsigned> memory_celsius;
  std::optional<unsigned> pcie_generation;  // as trained now: an idle link may be slower
  std::optional<unsigned> pcie_width;
  std::optional<std::uint64_t> clock_limits;  // bits of clock_limit_names()
};

// What holds the clock down, for the bits that say so ("power", "thermal+power"); "none" without any.
std::string clock_limit_names(std::uint64_t bits);

struct CounterChange {
  std::string gpu;  // "gpu0"
  Counters before;
  Counters after;
  double seconds = 0;
};

// Checks `eccUncorrected` and `rowRemap` (left out where no GPU counts them), and a note for everything else that moved:
// corrected errors, remapped rows, PCIe replays, NVLink errors, and the share of time that a limit held the clock down.
void report_changes(const std::vector<CounterChange>& changes, Document& doc);

// "1980,1965": one value per GPU, "-" where there is none.
std::string join_readings(const std::vector<std::optional<double>>& values);

struct MemoryOfGpu {
  std::string gpu;
  std::size_t free_bytes;
  std::size_t bytes;
  std::string holders;  // who else holds some; empty: nobody known
};

// How much of so many free bytes a buffer may take.
using Share = std::function<std::size_t(std::size_t)>;

// How many bytes each buffer is asked to have, and with how many the benchmark still measures what it should.
struct BufferSize {
  std::size_t asked;
  std::size_t least;
};

// How many bytes each buffer may have, and check `comparable`: fit_memory() of device.hpp tells more.
std::size_t fit_memory(const std::vector<MemoryOfGpu>& gpus, const BufferSize& size, const Share& share, const std::string& what,
                       Document& doc);

// One of `parts` equal buffers, in whole MiB.
inline Share equal_share(double parts) {
  return [parts](std::size_t free) { return static_cast<std::size_t>(static_cast<double>(free) / parts) >> 20 << 20; };
}

// A note where something else holds a tenth or more of a GPU's memory: programs take what is left, and may say too little.
void report_memory(const std::string& gpu, std::size_t free_bytes, std::size_t bytes, Document& doc);

}  // namespace assay::cuda
