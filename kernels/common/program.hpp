// The frame of a benchmark program: whatever happens in the body, exactly one document is printed and the exit code fits it.
//
//   int main(int argc, char** argv) {
//     Options options;
//     assay::Args args("hbm", "GPU memory bandwidth by kernel");
//     args.bytes(options.bytes, 1, kMaxBytes, "size of each array");
//     if (const auto code = args.parse(argc, argv)) return *code;
//     return assay::run_program("hbm", std::cout, std::cerr, [&](assay::Document& doc) { measure(options, doc); });
//   }
#pragma once

#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>

#include "common/document.hpp"

namespace assay {

// Thrown by the body when this machine lacks what the benchmark needs (no GPU, too little memory): exit code 77.
struct CannotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown where devices are there and the driver is too old for the program: exit code 78, and a failed check `completed`.
struct DriverTooOld : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown where the program was given devices and can use none. It fails the node: a failed check `devicesUsable`.
struct DevicesUnusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown where the driver says that the hardware failed. It fails the node, as wrong data does.
struct HardwareFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown by the body when something else leaves too little of this machine: a failed check `comparable`, which blames nobody.
struct NotComparable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Runs the body, prints the document on `out` and returns the exit code. CannotRun becomes a skipped document, HardwareFault a
// failed check `hardware`, DevicesUnusable a failed check `devicesUsable`, NotComparable a failed check `comparable`, and any other
// std::exception a failed check `completed`, which says nothing of the node. What had been measured by then is kept. All reasons go to
// `err` too. SIGTERM and SIGINT end the sampling, and leave a failed check `finished`; a second one ends the process at once.
int run_program(const std::string& benchmark, std::ostream& out, std::ostream& err,
                const std::function<void(Document&)>& body);

// For a program that prints the report of another program in place of a document. The body writes that report and returns the exit code.
// Where it throws, or a stop came, a document says why, as run_program's does; what was written of the report goes to `err` then, because a
// document is read only where nothing stands beside it. AfterStop::Report is for ranks: mpirun stops them when another one failed, and the report
// may say of what.
enum class AfterStop { Document, Report };
int run_reporter(const std::string& benchmark, std::ostream& out, std::ostream& err, const std::function<int(std::ostream&)>& body,
                 AfterStop after_stop = AfterStop::Document);

}  // namespace assay
