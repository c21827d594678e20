// Another program, run to its end by one of ours.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace assay {

struct Command {
  std::vector<std::string> words;  // the program, searched in PATH, and its arguments
  std::filesystem::path folder;    // that it works in
  std::map<std::string, std::string> environment = {};  // added to ours
  std::vector<std::string> without = {};  // variables of ours that it does not get; a '*' at the end stands for anything
  std::filesystem::path output = {};      // the file that its stdout goes to; empty: our stderr
  std::function<bool()> cancelled = {};   // asked a few times a second; true ends it as a stop would
  std::chrono::milliseconds grace{3000};  // between SIGTERM and SIGKILL: less than our own, or no document is left
};

inline constexpr int kNotInstalled = 127;

// Starts the command with its stdout on our stderr, or in a file, and waits for its end; returns its exit code, 128 and the signal where
// one ended it, kNotInstalled where it is not. A stop that arrives meanwhile (common/stop.hpp) is passed on as SIGTERM, and the wait goes
// on for the grace: the program may still write what it has. Nothing that came of the command runs on after this returns, and nothing
// outlives us, however we end (keeper.hpp). `tick` is called a few times a second. Throws std::runtime_error where no process can be started.
int run_to_end(const Command& command, const std::function<void()>& tick = [] {});

// Copies the report that a program left in a file, and returns the exit code of ours for the program's. A program that failed may have found
// wrong data, and its report says so. Throws std::runtime_error where there is no report.
int pass_on(const std::filesystem::path& file, const std::string& program, int code, std::ostream& report);

}  // namespace assay
