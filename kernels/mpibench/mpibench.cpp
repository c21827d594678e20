// mpibench: messages between hosts and among all ranks over MPI. Started by mpirun with one rank per host, or several.
#include <iostream>
#include <optional>
#include <sstream>

#include "common/args.hpp"
#include "common/exit_codes.hpp"
#include "common/program.hpp"
#include "mpibench/last_words.hpp"
#include "mpibench/suite.hpp"

namespace {

using namespace assay;
using namespace assay::mpibench;

constexpr std::int64_t kMostBytes = 1 << 30;  // MPI counts in int

// The first rank's document, should MPI not survive what it says that it can do.
void expect_the_worst(const World& world) {
  const std::string complaint = "MPI died of a segmentation fault: it says that it takes GPU memory, the transport that it chose does not";
  Document doc("mpibench");
  doc.parameter("buffers", "cuda");
  doc.parameter("mpi", mpi_library());
  doc.check("completed", false, complaint);
  std::ostringstream text;
  doc.finish(text);
  leave_last_words(world.is_first() ? text.str() : "", "mpibench: " + complaint + "\n");
}

// Every rank has a GPU of its own, or what is measured would be a copy within one.
void take_gpus(const World& world) {
  std::string gpu;
  world.together([&] { gpu = take_gpu(world.rank_on_host()); });
  const int ranks = world.ranks_with(gpu);
  world.together([&] {
    if (ranks > 1) throw CannotRun(std::to_string(ranks) + " ranks share a GPU: start one rank per GPU");
  });
}

void measure(const Options& options, const World& world, Document& doc) {
  if (world.size() < 2) throw CannotRun("needs at least two ranks: start it with mpirun, one rank per node");
  if (options.buffers == "cuda") {
    take_gpus(world);
    expect_the_worst(world);
  }
  const auto endpoints = endpoints_of(world.host_names(options.host_name));
  std::optional<Suite> suite;
  world.together([&] { suite.emplace(world, options, endpoints, doc); });  // allocates the buffers
  suite->run();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("mpibench", "MPI between hosts: latency, bandwidth and message rate of pairs; allreduce, alltoall and barrier of all ranks.");
  args.choices("--modes", options.modes, kModes, "what to measure");
  args.choice("--buffers", options.buffers, {"host", "cuda"}, "where messages lie");
  args.integer("--max-bytes", options.most_bytes, 8, kMostBytes, "bytes of the largest message");
  args.number("--seconds", options.seconds, 0.1, 3600, "sampling time, shared by all measurements");
  args.integer("--rounds", options.rounds, 1, 1023, "most rounds of disjoint pairs, of more than two hosts");
  args.flag("--sweep", options.sweep, "also every size from 1 byte to the largest, by powers of two");
  args.text("--host-name", options.host_name, "this rank's host in the result; default: ASSAY_NODE_NAME, else MPI's name of it");
  args.flag("--inject-bitflip", options.inject_bitflip, "test: damage what was received, which must be found");
  if (const auto code = args.parse(argc, argv)) return *code;
  const World world(&argc, &argv);
  std::ostringstream discarded;  // the first rank speaks for all
  std::ostream& out = world.is_first() ? std::cout : discarded;
  bool is_complete = false;
  const int code = run_program("mpibench", out, std::cerr, [&](Document& doc) {
    measure(options, world, doc);
    is_complete = true;
  });
  if (!is_complete) world.abandon(code);
  return world.from_first(code);
}
