// RDMA between two hosts by perftest, rail by rail. Started by an mpirun with one rank on each: the first rank starts perftest's server, the
// second its client once the server listens, and the first prints the client's reports unchanged on stdout. What is read from them is the
// business of the reports' reader.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "common/args.hpp"
#include "common/exit_codes.hpp"
#include "common/host/folder.hpp"
#include "common/host/launch.hpp"
#include "common/host/process.hpp"
#include "common/mpi/agree.hpp"
#include "common/program.hpp"
#include "common/stop.hpp"
#include "rdma/pair.hpp"
#include "rdma/plan.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;
using namespace assay::rdma;

constexpr const char* kGone = "gone";  // what a rank tells whose server ended before it listened, or whose client has no report

std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

bool server_listens(int tcp_port) { return listens(contents("/proc/net/tcp"), tcp_port) || listens(contents("/proc/net/tcp6"), tcp_port); }

// As the operator calls this node.
std::string host_name() {
  if (const char* told = std::getenv("ASSAY_NODE_NAME")) return told;
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host without a name";
}

// A line in one piece: the ranks share what mpirun prints.
void say(const std::string& text) { std::cerr << "rdma: " + text + "\n"; }

// What one rank tells the other at the end of its part, whatever happens: the other waits for it.
class LastWord {
 public:
  LastWord(const Pair& pair, std::string text) : pair_(pair), text_(std::move(text)) {}
  ~LastWord() {
    if (!text_.empty()) pair_.tell(text_);
  }
  LastWord(const LastWord&) = delete;
  LastWord& operator=(const LastWord&) = delete;

  bool spoken() const { return text_.empty(); }
  void instead(const std::string& text) {
    pair_.tell(text);
    text_.clear();
  }

 private:
  const Pair& pair_;
  std::string text_;
};

// Tells the client's rank where to call once the server listens, and ends a server whose client has ended. A server that listened is not
// judged: whatever went wrong, the client tells it. What the client's rank reports is added to the report.
int serve(const Pair& pair, const Options& options, const Rail& rail, const std::string& address, const fs::path& folder, std::ostream& report) {
  LastWord word(pair, kGone);
  const int tcp_port = free_port();
  Command command{perftest(options, rail, tcp_port), folder, {}, launcher_variables()};
  command.cancelled = [&] { return pair.told(); };
  const int code = run_to_end(command, [&] {
    if (!word.spoken() && server_listens(tcp_port)) word.instead(address + " " + std::to_string(tcp_port));
  });
  if (!word.spoken()) return code == 0 ? 1 : code;
  if (const std::string told = pair.hear(); told != kGone) report << told;
  return 0;
}

// Tells the report of a client that did its work.
int call(const Pair& pair, const Options& options, const Rail& rail, const fs::path& folder) {
  const std::string where = pair.hear();
  if (where == kGone) return 0;  // the server's rank tells why
  LastWord word(pair, kGone);
  const auto blank = where.find(' ');
  Command command{perftest(options, rail, std::atoll(where.c_str() + blank + 1), where.substr(0, blank)), folder, {}, launcher_variables()};
  command.output = folder / "report";
  const int code = run_to_end(command);
  const std::string port = rail.port != 1 ? "Port: " + std::to_string(rail.port) + "\n" : "";  // perftest tells the device only
  if (code == 0) word.instead(port + contents(command.output));
  return code;
}

// What went wrong on this rail, the same on both ranks; empty where it was measured.
std::string measure(const Pair& pair, const Options& options, const Rail& rail, const std::string& address, const fs::path& folder, std::ostream& report) {
  std::string wrong;
  mpi::together([&] {
    if (pair.serves()) say("ib_" + options.test + " on " + names_of({rail}));
    const int code = pair.serves() ? serve(pair, options, rail, address, folder, report) : call(pair, options, rail, folder);
    throw_if_stopped();
    if (code == kNotInstalled) throw CannotRun("ib_" + options.test + " is not installed");
    if (code != 0) wrong = "ib_" + options.test + " on " + names_of({rail}) + " ended with exit code " + std::to_string(code);
  });
  return mpi::first_complaint(wrong);
}

std::vector<Rail> rails_here(const Options& options) {
  std::vector<Rail> rails = active_rails(options.devices);
  const auto mounted = mounted_devices(options.verbs, options.nodes);
  const std::string left_out = names_of(leave_out_all_but(mounted, rails));
  if (!left_out.empty()) {
    const std::string why = "not mounted in " + options.nodes + ", so not measured: " + left_out;
    if (mounted.empty()) throw CannotRun("no RDMA device with an active port can be opened here: " + why);
    say(host_name() + ": " + why);
  }
  rails = of_devices(rails, options.rails);
  if (mounted.empty()) throw CannotRun("no RDMA device of this host has an active port");
  return rails;  // none where the links of all mounted devices are down
}

// The first rank writes the report of all rails.
int run(const Pair& pair, const Options& options, std::ostream& report) {
  if (pair.size() != 2) throw CannotRun("needs two ranks, on two hosts: start it with mpirun, one rank per node");
  std::vector<Rail> own;
  mpi::together([&] { own = rails_here(options); });
  const auto other = from_text(pair.exchange(to_text(own)));
  const std::string name = host_name(), other_name = pair.exchange(name);
  const auto rails = in_both(own, other);
  std::string address;
  mpi::together([&] {
    if (pair.serves()) address = address_of(options.interface);
    if (own.empty() && other.empty()) throw CannotRun("no RDMA device of this host has an active port");
    // With ports of one host only, the links of the other are down, which fails below.
    if (rails.empty() && !own.empty() && !other.empty()) throw CannotRun("the two hosts have no active RDMA port of the same name");
  });
  const TemporaryFolder folder("rdma");
  std::string wrong;
  const auto add = [&](const std::string& text) { wrong += (wrong.empty() || text.empty() ? "" : "; ") + text; };
  for (const auto& rail : rails) add(measure(pair, options, rail, address, folder.path(), report));
  add(one_sided(own, name, other, other_name));  // a dead link must not pass because nobody measured it
  if (!wrong.empty()) throw std::runtime_error(wrong);  // on both ranks
  return exit_code::kMeasured;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("rdma", "RDMA between two hosts by perftest, on every port that is active on both; started by mpirun with one rank on each. Prints "
                    "perftest's own report.");
  args.choice("--test", options.test, {"write_bw", "read_bw", "send_bw", "write_lat", "read_lat", "send_lat"}, "which of perftest's programs, without ib_");
  args.bytes(options.bytes, 1, 8 << 20, "size of a message");
  args.integer("--iterations", options.iterations, 5, 100'000'000, "messages");
  args.integer("--gid-index", options.gid_index, -1, 255, "GID of the port, for RoCE; -1: perftest's choice");
  args.text("--interface", options.interface, "network interface by which the two find each other; default: the first that is not the loopback");
  args.text("--rails", options.rails, "the devices to measure, such as mlx5_0,mlx5_1; default: all with an active port that can be opened, which must be the same on both hosts");
  args.text("--devices", options.devices, "folder where the kernel lists RDMA devices");
  args.text("--verbs", options.verbs, "folder where the kernel says which device is behind which uverbs node");
  args.text("--nodes", options.nodes, "folder of these nodes; a device without one is left out");
  if (const auto code = args.parse(argc, argv)) return *code;
  const Pair pair(&argc, &argv);
  std::ostringstream unheard;  // the server's rank speaks for both
  return run_reporter("rdma", pair.serves() ? std::cout : unheard, std::cerr, [&](std::ostream& report) { return run(pair, options, report); });
}
