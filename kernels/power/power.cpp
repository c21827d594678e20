// What a node uses while nothing runs: GPUs by NVML, processors by RAPL, the whole machine by its own meter, for as long as is asked.
#include <chrono>
#include <iostream>
#include <thread>

#include "common/args.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "power/gpus.hpp"
#include "power/rapl.hpp"

namespace {

using namespace assay;
using Clock = std::chrono::steady_clock;

constexpr auto kPeriod = std::chrono::milliseconds(500);
constexpr int kLooksPerRound = 10;  // between two looks at who is there, and between two lines of progress

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void tell_progress(double passed, double seconds, const power::NodeAtRest& node) {
  std::cerr << "power: " << static_cast<int>(passed) << " of " << seconds << " s";
  for (const auto& gpu : node.gpus) {
    if (!gpu.watts.empty()) std::cerr << ", " << gpu.name << " " << gpu.watts.back() << " W";
  }
  if (!node.cpu_watts.empty()) std::cerr << ", processors " << node.cpu_watts.back() << " W";
  std::cerr << std::endl;
}

void watch(double seconds, const inventory::Tree& tree, power::Rapl& rapl, power::NodeAtRest& node) {
  const auto before = power::processor_time(tree);
  const auto start = Clock::now();
  auto last = start;
  rapl.advance();
  for (int number = 0; seconds_since(start) < seconds && !stop_requested(); ++number) {
    std::this_thread::sleep_until(start + kPeriod * (number + 1));
    power::look(node.gpus, number % kLooksPerRound == 0);
    if (const auto watts = power::node_watts(tree)) node.node_watts.push_back(*watts);
    const double length = seconds_since(last);
    last = Clock::now();
    if (const auto joules = rapl.advance()) node.cpu_watts.push_back(*joules / length);
    if (number % kLooksPerRound == 0) tell_progress(seconds_since(start), seconds, node);
  }
  const auto after = power::processor_time(tree);
  if (before && after && after->all > before->all) node.busy_share = (after->busy - before->busy) / (after->all - before->all);
}

bool tells_anything(const power::NodeAtRest& node) {
  for (const auto& gpu : node.gpus) {
    if (!gpu.watts.empty()) return true;
  }
  return !node.cpu_watts.empty() || !node.node_watts.empty();
}

void measure(double seconds, Document& doc) {
  const inventory::Tree tree;
  auto found = power::find_gpus();
  power::Rapl rapl(tree);
  const bool has_meter = power::node_watts(tree).has_value();
  if (found.gpus.empty() && !rapl.problem().empty() && !has_meter) {
    throw CannotRun("nothing here tells its power: " + found.problem + "; " + rapl.problem() + "; the machine has no power meter (ACPI)");
  }
  doc.parameter("seconds", seconds);
  power::NodeAtRest node{std::move(found.gpus), {}, {}, std::nullopt};
  watch(seconds, tree, rapl, node);
  if (!tells_anything(node) && !stop_requested()) throw CannotRun("no GPU of this node tells its power, and " + rapl.problem());
  if (!rapl.problem().empty()) doc.note("no power of the processors: " + rapl.problem());
  power::report(node, doc);
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 30;
  Args args("power", "Power of a node at rest: GPUs, processors, and the machine where it has a meter. Nothing else may run.");
  args.number("--seconds", seconds, 1, 86400, "how long to watch");
  if (const auto code = args.parse(argc, argv)) return *code;
  return run_program("power", std::cout, std::cerr, [&](Document& doc) { measure(seconds, doc); });
}
