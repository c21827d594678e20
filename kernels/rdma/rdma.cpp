// RDMA between two hosts by perftest, rail by rail. Started by an mpirun with one rank on each: the first rank starts perftest's server, the
// second its client once the server listens, and prints the client's report unchanged on stdout. What is read from it is the business of
// the report's reader.
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

using namespace assay;
using namespace assay::rdma;

constexpr int kNotInstalled = 127;
constexpr const char* kGone = "gone";  // what the server's rank tells where its server ended before it listened

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
// judged: whatever went wrong, the client tells it.
int serve(const Pair& pair, const Options& options, const Rail& rail, const std::string& address, const std::filesystem::path& folder) {
  LastWord word(pair, kGone);
  const int tcp_port = free_port();
  Command command{perftest(options, rail, tcp_port), folder, {}, launcher_variables()};
  command.cancelled = [&] { return pair.told(); };
  const int code = run_to_end(command, [&] {
    if (!word.spoken() && server_listens(tcp_port)) word.instead(address + " " + std::to_string(tcp_port));
  });
  if (!word.spoken()) return code == 0 ? 1 : code;
  pair.hear();
  return 0;
}

// Prints the report of a client that did its work.
int call(const Pair& pair, const Options& options, const Rail& rail, const std::filesystem::path& folder) {
  const std::string where = pair.hear();
  if (where == kGone) return 0;  // the server's rank tells why
  const LastWord word(pair, "ended");
  const auto blank = where.find(' ');
  Command command{perftest(options, rail, std::atoll(where.c_str() + blank + 1), where.substr(0, blank)), folder, {}, launcher_variables()};
  command.output = folder / "report";
  const int code = run_to_end(command);
  if (code == 0 && rail.port != 1) std::cout << "Port: " << rail.port << '\n';  // perftest tells the device only
  if (code == 0) std::cout << contents(command.output) << std::flush;
  return code;
}

void measure(const Pair& pair, const Options& options, const Rail& rail, const std::string& address, const std::filesystem::path& folder) {
  mpi::together([&] {
    if (pair.serves()) std::cerr << "rdma: ib_" << options.test << " on " << rail.device << " port " << rail.port << std::endl;
    const int code = pair.serves() ? serve(pair, options, rail, address, folder) : call(pair, options, rail, folder);
    throw_if_stopped();
    if (code == kNotInstalled) throw CannotRun("ib_" + options.test + " is not installed");
    if (code != 0) throw std::runtime_error("ib_" + options.test + " on " + rail.device + " port " + std::to_string(rail.port) + " ended with exit code " + std::to_string(code));
  });
}

int run(const Pair& pair, const Options& options) {
  if (pair.size() != 2) throw CannotRun("needs two ranks, on two hosts: start it with mpirun, one rank per node");
  const WatchForStop watch;
  std::vector<Rail> own;
  mpi::together([&] { own = of_devices(active_rails(options.devices), options.rails); });
  const auto other = from_text(pair.exchange(to_text(own)));
  const std::string name = host_name(), other_name = pair.exchange(name);
  const auto rails = in_both(own, other);
  std::string address;
  mpi::together([&] {
    if (pair.serves()) address = address_of(options.interface);
    if (own.empty()) throw CannotRun("no RDMA device of this host has an active port");
    if (other.empty()) throw CannotRun("no RDMA device of the other host has an active port");
    if (rails.empty()) throw CannotRun("the two hosts have no active RDMA port of the same name");
  });
  const TemporaryFolder folder("rdma");
  for (const auto& rail : rails) measure(pair, options, rail, address, folder.path());
  mpi::together([&] {  // a dead link must not pass because nobody measured it
    if (const std::string wrong = one_sided(own, name, other, other_name); !wrong.empty()) throw std::runtime_error(wrong);
  });
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
  args.text("--rails", options.rails, "the devices to measure, such as mlx5_0,mlx5_1; default: all with an active port, which must be the same on both hosts");
  args.text("--devices", options.devices, "folder where the kernel lists RDMA devices");
  if (const auto code = args.parse(argc, argv)) return *code;
  const Pair pair(&argc, &argv);
  try {
    return run(pair, options);
  } catch (const CannotRun& reason) {
    std::cerr << "rdma: cannot run here: " << reason.what() << std::endl;
    if (!pair.serves()) return exit_code::kCannotRun;
    Document doc("rdma");
    doc.skip(reason.what());
    return doc.finish(std::cout);
  } catch (const std::exception& error) {
    std::cerr << "rdma: " << error.what() << std::endl;
    return exit_code::kFailed;
  }
}
