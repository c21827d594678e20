// The one result document that every benchmark program prints on stdout (schema assay.dev/result/v1).
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/stats.hpp"

namespace assay {

// The version this tree was built as.
std::string build_version();

// One quantity, measured at one or more parts (GPU, link, NUMA domain, message size).
class Measurement {
 public:
  Measurement(std::string name, std::string unit, Better better)
      : name_(std::move(name)), unit_(std::move(unit)), better_(better) {}

  void add(std::string at, const Summary& summary) { parts_.push_back({std::move(at), summary}); }

 private:
  friend class Document;
  struct Part {
    std::string at;
    Summary summary;
  };
  std::string name_;
  std::string unit_;
  Better better_;
  std::vector<Part> parts_;
};

class Document {
 public:
  using Value = std::variant<bool, std::int64_t, double, std::string>;

  // The clock of elapsedSeconds starts here.
  explicit Document(std::string benchmark, std::string version = build_version());

  // A setting that the result depends on, as it was used.
  template <typename T>
  void parameter(const std::string& name, const T& value) {
    set_parameter(name, to_value(value));
  }

  // The measurement of that name, made at first use. The reference stays valid. Units are SI: GB/s is 1e9 bytes per second.
  // A measurement without parts is left out of the document.
  Measurement& measurement(const std::string& name, const std::string& unit, Better better);

  // Something that was verified. A check that is not ok makes the program fail. A name that comes again is the same check: it is
  // ok only where it always was, and its messages are joined.
  void check(const std::string& name, bool ok, const std::string& message = "");

  // Over the parts so far that are summaries of samples and name this GPU ("gpu3", "gpu0->gpu3"); over all such parts where none of
  // them names any GPU.
  struct Outliers {
    std::size_t outliers = 0;
    std::size_t samples = 0;
  };
  Outliers outliers_of(const std::string& gpu) const;

  // Keeps value, samples and spread of each part, and leaves out how the samples lie around the value: for documents that would not fit into a
  // termination message.
  void shorten();

  // Since the document was made.
  double elapsed_seconds() const;

  // Name and message of the first check so far that is not ok; empty where all are. Those about what surrounded the measurement do
  // not count: undisturbed and comparable.
  std::string first_failure() const;

  // The message of the check of this name; empty where it is ok or missing.
  std::string complaint_of(const std::string& check) const;

  // For people; not judged.
  void note(const std::string& text);

  void device(int index, const std::string& uuid, const std::string& product);

  // Something that does not change while the program runs: a version, a setting, a count. `at` is the part; empty for the whole node. An empty
  // text, and a number that is not finite, are left out. The most important facts come first.
  template <typename T>
  void fact(const std::string& name, const std::string& at, const T& value) {
    add_fact(name, at, to_value(value));
  }

  // This machine cannot run the benchmark: the document says why and holds nothing else.
  void skip(const std::string& reason);

  // Prints the document as one line and returns the exit code that goes with it: failed when a check is not ok, when nothing
  // was measured, when a value is not finite (that part is left out, a note names it; after a stop that is no failure of its own), or when
  // `out` cannot be written.
  int finish(std::ostream& out);

  template <typename T>
  static Value to_value(const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Value>) {
      return value;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<std::int64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else {
      return std::string(value);
    }
  }

 private:
  struct Check {
    std::string name;
    bool ok;
    std::string message;
  };
  struct Device {
    int index;
    std::string uuid;
    std::string product;
  };
  struct Fact {
    std::string name;
    std::string at;
    Value value;
  };

  void set_parameter(const std::string& name, Value value);
  void add_fact(const std::string& name, const std::string& at, Value value);
  void drop_non_finite();
  std::string render(double elapsed_seconds) const;

  std::string benchmark_;
  std::string version_;
  std::chrono::steady_clock::time_point start_;
  std::vector<std::pair<std::string, Value>> parameters_;
  std::deque<Measurement> measurements_;
  std::vector<Check> checks_;
  std::vector<std::string> notes_;
  std::vector<Device> devices_;
  std::vector<Fact> facts_;
  std::string skipped_;
};

}  // namespace assay
