#include "common/cuda/counters.hpp"

#include <algorithm>
#include <cmath>

#include "common/program.hpp"

namespace assay::cuda {
namespace {

// The counters are 64-bit and only rise; one that fell was reset by someone, and says nothing.
std::uint64_t rise(const Counters::Value& before, const Counters::Value& after) {
  return before && after && *after > *before ? *after - *before : 0;
}

void note_rise(const CounterChange& change, Counters::Value Counters::*counter, const std::string& what, Document& doc) {
  const auto by = rise(change.before.*counter, change.after.*counter);
  if (by > 0) doc.note(change.gpu + ": " + std::to_string(by) + " " + what);
}

// Below one percent of the time a limit is not worth a line.
void note_share(const CounterChange& change, Counters::Value Counters::*counter, const std::string& what, Document& doc) {
  if (change.seconds <= 0) return;
  const double share = static_cast<double>(rise(change.before.*counter, change.after.*counter)) * 1e-9 / change.seconds;
  if (share < 0.01) return;
  const auto percent = static_cast<long>(std::lround(100 * std::min(share, 1.0)));
  doc.note(change.gpu + ": clock held down by " + what + " " + std::to_string(percent) + " % of the time");
}

void check_all(const std::vector<CounterChange>& changes, const std::string& name, Document& doc,
               const std::vector<std::pair<std::string, std::uint64_t (*)(const CounterChange&)>>& faults,
               bool (*is_counted)(const CounterChange&)) {
  if (std::none_of(changes.begin(), changes.end(), is_counted)) return;
  std::string message;
  for (const auto& change : changes) {
    for (const auto& [what, count] : faults) {
      if (const auto n = count(change)) {
        message += (message.empty() ? "" : "; ") + change.gpu + ": " + std::to_string(n) + " " + what;
      }
    }
  }
  doc.check(name, message.empty(), message);
}

}  // namespace

void report_changes(const std::vector<CounterChange>& changes, Document& doc) {
  check_all(changes, "eccUncorrected", doc,
            {{"uncorrected memory errors during the run",
              [](const CounterChange& c) { return rise(c.before.ecc_uncorrected, c.after.ecc_uncorrected); }}},
            [](const CounterChange& c) { return c.after.ecc_uncorrected.has_value(); });
  check_all(changes, "rowRemap", doc,
            {{"row remap failed", [](const CounterChange& c) { return c.after.row_remap_failed.value_or(0); }},
             {"row remap pending a reset", [](const CounterChange& c) { return c.after.row_remap_pending.value_or(0); }}},
            [](const CounterChange& c) { return c.after.row_remap_failed.has_value(); });
  for (const auto& change : changes) {
    note_rise(change, &Counters::ecc_corrected, "corrected memory errors during the run", doc);
    note_rise(change, &Counters::rows_remapped_corrected, "rows remapped for corrected errors during the run", doc);
    note_rise(change, &Counters::rows_remapped_uncorrected, "rows remapped for uncorrected errors during the run", doc);
    note_rise(change, &Counters::pcie_replays, "PCIe replays during the run", doc);
    note_rise(change, &Counters::nvlink_errors, "NVLink errors during the run", doc);
    note_share(change, &Counters::power_cap_ns, "the power limit", doc);
    note_share(change, &Counters::thermal_software_ns, "temperature (software)", doc);
    note_share(change, &Counters::thermal_hardware_ns, "temperature (hardware)", doc);
    note_share(change, &Counters::power_brake_ns, "the power brake", doc);
  }
}

std::string clock_limit_names(std::uint64_t bits) {
  // NVML's clocks event reasons. Idle, and clocks that somebody asked for, hold nothing down.
  static const std::vector<std::pair<std::uint64_t, std::string>> limits{{0x04, "power"},           {0x08, "hardware"},
                                                                         {0x10, "syncBoost"},       {0x20, "thermalSoftware"},
                                                                         {0x40, "thermalHardware"}, {0x80, "powerBrake"}};
  std::string text;
  for (const auto& [bit, name] : limits) {
    if ((bits & bit) != 0) text += (text.empty() ? "" : "+") + name;
  }
  return text.empty() ? "none" : text;
}

std::string join_readings(const std::vector<std::optional<double>>& values) {
  std::string text;
  for (const auto& value : values) {
    if (!text.empty()) text += ',';
    text += value ? std::to_string(std::lround(*value)) : "-";
  }
  return text;
}

std::size_t fit_memory(const std::vector<MemoryOfGpu>& gpus, const BufferSize& size, const Share& share, const std::string& what,
                       Document& doc) {
  constexpr double kFreeWhenAlone = 0.95;  // the driver and this process's context take some of every GPU
  std::size_t used = size.asked;
  std::string message;
  for (const auto& gpu : gpus) {
    const std::size_t fitting = share(gpu.free_bytes);
    const std::size_t expected = std::min(size.asked, share(static_cast<std::size_t>(static_cast<double>(gpu.bytes) * kFreeWhenAlone)));
    if (expected < size.least) {
      throw CannotRun(gpu.gpu + " is too small: " + what + " of " + std::to_string(expected >> 20) + " MiB fit into " +
                      std::to_string(gpu.bytes >> 20) + " MiB, at least " + std::to_string(size.least >> 20) + " MiB are needed");
    }
    if (fitting < expected) {
      message += (message.empty() ? "" : "; ") + gpu.gpu + ": " + what + " of " + std::to_string(fitting >> 20) + " MiB fit, " +
                 std::to_string(expected >> 20) + " MiB were wanted: " + std::to_string(gpu.free_bytes >> 20) + " of " +
                 std::to_string(gpu.bytes >> 20) + " MiB are free" + (gpu.holders.empty() ? "" : ", " + gpu.holders);
    }
    used = std::min(used, fitting);
  }
  if (used < size.least) throw NotComparable(message + "; at least " + std::to_string(size.least >> 20) + " MiB are needed");
  doc.check("comparable", message.empty(), message);
  return used;
}

void report_memory(const std::string& gpu, std::size_t free_bytes, std::size_t bytes, Document& doc) {
  if (free_bytes >= bytes / 10 * 9) return;
  doc.note(gpu + ": only " + std::to_string(free_bytes >> 20) + " of " + std::to_string(bytes >> 20) +
           " MiB of its memory were free at the start: something else holds the rest");
}

}  // namespace assay::cuda
