// Runs High-Performance Linpack on all cores of this container: chooses the problem, starts xhpl under mpirun, and prints HPL's
// own report unchanged on stdout. What is read from the report is the business of the report's reader.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "common/args.hpp"
#include "common/exit_codes.hpp"
#include "common/host/cgroup.hpp"
#include "common/host/topology.hpp"
#include "common/program.hpp"
#include "hpl/settings.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;

struct Options {
  double memory_fraction = 0.8;
  std::int64_t order = 0;
  std::int64_t block = 192;
  std::int64_t ranks = 0;
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "assay-hpl-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(std::string("making a folder: ") + std::strerror(errno));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path xhpl() {
  const fs::path beside_us = fs::read_symlink("/proc/self/exe").parent_path() / "xhpl";
  if (!fs::exists(beside_us)) throw CannotRun("xhpl is not installed beside hpl");
  return beside_us;
}

std::vector<std::string> mpirun_command(std::int64_t ranks, const fs::path& folder) {
  return {"mpirun", "--allow-run-as-root", "-np", std::to_string(ranks), "--bind-to", "core",
          // One node: no launcher over the network, shared memory only. Containers are often denied cross-process reads, and
          // their /dev/shm is often too small for one segment per rank.
          "--mca", "plm", "isolated", "--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none",
          "--mca", "btl_vader_backing_directory", folder.string(), xhpl().string()};
}

// Starts the command in the folder with its stdout on our stderr; returns its exit code.
int execute(const std::vector<std::string>& command, const fs::path& folder) {
  std::vector<char*> argv;
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("starting a process: ") + std::strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // whoever kills us ends the ranks too
    if (getppid() != parent || chdir(folder.c_str()) != 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) _exit(126);
    setenv("TMPDIR", folder.c_str(), 1);
    setenv("OMP_NUM_THREADS", "1", 1);  // one rank per core
    execvp(argv[0], argv.data());
    std::perror(argv[0]);
    _exit(errno == ENOENT ? 127 : 126);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(std::string("waiting for mpirun: ") + std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

hpl::Problem choose(const Options& options) {
  const std::int64_t memory = usable_memory_bytes();
  hpl::Problem problem;
  problem.block = options.block;
  problem.order = options.order > 0 ? options.order : hpl::order_for(memory, options.memory_fraction, options.block);
  problem.grid = hpl::grid_of(options.ranks > 0 ? options.ranks : static_cast<std::int64_t>(Topology().node().cpus.size()));
  const double matrix = 8.0 * static_cast<double>(problem.order) * static_cast<double>(problem.order);
  if (matrix > 0.95 * static_cast<double>(memory)) {
    throw CannotRun("a matrix of order " + std::to_string(problem.order) + " does not fit into " + std::to_string(memory) +
                    " bytes of usable memory");
  }
  std::cerr << "hpl: N=" << problem.order << " NB=" << problem.block << " P=" << problem.grid.rows
            << " Q=" << problem.grid.columns << ", " << matrix / static_cast<double>(memory) * 100
            << " % of the usable memory" << std::endl;
  return problem;
}

int run(const Options& options) {
  const hpl::Problem problem = choose(options);
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "hpccinf.txt") << hpl::input_file(problem);
  const int code = execute(mpirun_command(problem.grid.rows * problem.grid.columns, folder.path()), folder.path());
  if (code == 127) throw CannotRun("mpirun is not installed");
  std::ifstream report(folder.path() / "hpccoutf.txt");
  if (report && report.peek() != std::ifstream::traits_type::eof()) std::cout << report.rdbuf() << std::flush;
  if (code != 0) std::cerr << "hpl: mpirun ended with exit code " << code << std::endl;
  return code == 0 && report && std::cout ? exit_code::kMeasured : exit_code::kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Args args("hpl", "High-Performance Linpack on all cores that this container may use; prints HPL's own report.");
  args.number("--memory-fraction", options.memory_fraction, 0.0001, 0.92, "share of the usable memory that the matrix takes");
  args.integer("--n", options.order, 0, 10'000'000, "order of the matrix; 0: from --memory-fraction");
  args.integer("--nb", options.block, 1, 4096, "block size");
  args.integer("--ranks", options.ranks, 0, 4096, "number of MPI processes; 0: one per core");
  if (const auto code = args.parse(argc, argv)) return *code;
  try {
    return run(options);
  } catch (const CannotRun& reason) {
    std::cerr << "hpl: cannot run here: " << reason.what() << std::endl;
    Document doc("hpl");
    doc.skip(reason.what());
    return doc.finish(std::cout);
  } catch (const std::exception& error) {
    std::cerr << "hpl: " << error.what() << std::endl;
    return exit_code::kFailed;
  }
}
