// Exit codes of every benchmark program: the contract with the runner.
#pragma once

namespace assay::exit_code {

inline constexpr int kMeasured = 0;    // measured, and the data was verified
inline constexpr int kFailed = 1;      // could not be measured, or the data was wrong
inline constexpr int kUsage = 2;       // bad options
inline constexpr int kCannotRun = 77;  // this machine lacks what the benchmark needs; the document says what
inline constexpr int kDriverTooOld = 78;  // the driver is older than the program needs; stderr says both versions

}  // namespace assay::exit_code
