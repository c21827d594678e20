// Command-line options, the same for every program: --help, --version, typed and bounded values, exit code 2 for bad usage.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// Targets keep the value they had before parse() as the default, which --help shows. Option names come with their dashes.
class Args {
 public:
  Args(const std::string& program, const std::string& description);
  ~Args();
  Args(const Args&) = delete;
  Args& operator=(const Args&) = delete;

  void integer(const std::string& name, std::int64_t& target, std::int64_t low, std::int64_t high, const std::string& help);
  void number(const std::string& name, double& target, double low, double high, const std::string& help);
  void flag(const std::string& name, bool& target, const std::string& help);

  // --bytes: the size of each array or buffer. One name and one unit in all programs.
  void bytes(std::int64_t& target, std::int64_t low, std::int64_t high, const std::string& help);

  // Any text.
  void text(const std::string& name, std::string& target, const std::string& help);

  // One of `allowed`.
  void choice(const std::string& name, std::string& target, const std::vector<std::string>& allowed, const std::string& help);

  // A comma-separated list out of `allowed`, at least one, none of them empty or twice: their parts would have the same name.
  void choices(const std::string& name, std::vector<std::string>& target, const std::vector<std::string>& allowed,
               const std::string& help);

  // A comma-separated list of integers, at least one, none of them empty or twice.
  void integers(const std::string& name, std::vector<std::int64_t>& target, std::int64_t low, std::int64_t high,
                const std::string& help);

  // Nothing: go on. Otherwise the exit code: 0 after --help or --version, 2 (reason on stderr) for bad usage.
  [[nodiscard]] std::optional<int> parse(int argc, const char* const* argv);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
