// What stress-ng is asked for, and what it says afterwards. Pure: text in, text and numbers out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::stressng {

// Where stress-ng writes, in a folder of ours.
inline constexpr const char* kMetrics = "metrics.yaml";
inline constexpr const char* kLog = "stress-ng.log";

// The time that stress-ng is given: whole seconds, and 1 at least, since 0 is no limit to it.
std::int64_t timeout_seconds(double seconds);

// Arguments of stress-ng, for all workers: every method of its stressor `cpu`; of its stressor `vm` zeros and then ones, once over so many bytes,
// within `seconds`; and every pattern of `vm`, one after the other over so many bytes.
std::vector<std::string> processors(std::int64_t workers, double seconds);
std::vector<std::string> zeros_and_ones(std::int64_t workers, double seconds, std::int64_t bytes);
std::vector<std::string> patterns(std::int64_t workers, double seconds, std::int64_t bytes);

// Of so many bytes, those over which all patterns come to an end in the time. stress-ng does not tell which of them it made.
std::int64_t pattern_bytes(std::int64_t workers, double seconds, std::int64_t bytes);

// Operations per second of all workers of a stressor, by the clock on the wall; nothing where the metrics lack it, or where it
// is 0: then nothing was verified.
std::optional<double> rate_of(const std::string& metrics, const std::string& stressor);

// The bytes that zeros_and_ones went over, where it came to its end.
std::int64_t bytes_passed(const std::string& metrics);

// Whether so many bytes are all that the workers were asked for, but for their rounding. They are fewer where the system killed a worker's child,
// or gave it no memory: stress-ng succeeds all the same.
bool went_over_all(std::int64_t passed, std::int64_t workers, std::int64_t bytes);

// The lines of the log that tell of wrong results, without their prefix: at most `most` of them.
std::vector<std::string> failures_in(const std::string& log, std::size_t most);

}  // namespace assay::stressng
