// SIGTERM and SIGINT as a request that sampling loops look at, so that a program that is told to end still prints its document.
#pragma once

#include <stdexcept>
#include <string>

namespace assay {

// Thrown where a sampling loop finds that it was told to end.
struct Stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Catches the two signals for as long as it lives. A second signal does what it does by default: it ends the process.
class WatchForStop {
 public:
  WatchForStop();
  ~WatchForStop();
  WatchForStop(const WatchForStop&) = delete;
  WatchForStop& operator=(const WatchForStop&) = delete;
};

bool stop_requested();
std::string stop_signal();  // "SIGTERM"; empty where none came
void throw_if_stopped();

}  // namespace assay
