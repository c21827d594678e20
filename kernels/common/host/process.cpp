#include "common/host/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "common/exit_codes.hpp"
#include "common/host/keeper.hpp"
#include "common/stop.hpp"

extern char** environ;

namespace assay {
namespace {

constexpr int kTickMilliseconds = 250;

std::runtime_error failure(const std::string& doing) { return std::runtime_error(doing + ": " + std::strerror(errno)); }

bool named(const std::string& variable, const std::string& pattern) {
  const bool begins = !pattern.empty() && pattern.back() == '*';
  return begins ? variable.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0 : variable == pattern;
}

// Before the fork: what the child may call after it is little.
std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    bool kept = command.environment.count(name) == 0;
    for (const auto& pattern : command.without) kept = kept && !named(name, pattern);
    if (kept) all.push_back(text);
  }
  for (const auto& [name, value] : command.environment) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// What a command is started with, made before the fork: what a child may call after it is little.
struct Start {
  explicit Start(const Command& command) : words(command.words), variables(environment_of(command)), folder(command.folder.string()) {}

  std::vector<std::string> words, variables;
  std::string folder;
  int output = STDERR_FILENO;
  sigset_t signals{};  // that are blocked where nobody keeps anything
  std::vector<char*> argv = pointers(words), environment = pointers(variables);
};

// In a group of its own nothing may read from a terminal.
bool take_input_from_nowhere() {
  const int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return nowhere >= 0 && dup2(nowhere, STDIN_FILENO) >= 0;
}

[[noreturn]] void become(const Start& start, pid_t keeper) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGTERM, SIG_DFL);  // our handler would only remember it
  std::signal(SIGINT, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
  if (getppid() != keeper || chdir(start.folder.c_str()) != 0 || !take_input_from_nowhere() || dup2(start.output, STDOUT_FILENO) < 0) _exit(126);
  execvpe(start.argv[0], start.argv.data(), start.environment.data());
  const int why = errno;
  std::perror(start.argv[0]);
  _exit(why == ENOENT ? 127 : 126);
}

pid_t start_kept(Start& start, std::chrono::milliseconds grace) {
  const sigset_t held = keeper_signals();
  const pid_t parent = getpid();
  pthread_sigmask(SIG_BLOCK, &held, &start.signals);
  const pid_t keeper = fork();
  if (keeper == 0) keep(parent, grace, [&start, self = getpid()] { become(start, self); });
  const int why = errno;
  pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
  errno = why;
  return keeper;
}

// Its end is awaited in any case.
class Kept {
 public:
  explicit Kept(pid_t keeper) : pid(keeper) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    if (awaited_) return;
    kill(pid, SIGTERM);
    wait();
  }
  int wait() {
    awaited_ = true;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
      if (errno != EINTR) return 128 + SIGKILL;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  const pid_t pid;

 private:
  bool awaited_ = false;
};

// Waits for the end of a child, and leaves it to be reaped. Kernels before 5.3 have no pidfd_open, and a container's seccomp profile may
// refuse it: then the child is asked after whenever the time is over.
class EndOf {
 public:
  explicit EndOf(pid_t pid) : pid_(pid), watched_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  EndOf(const EndOf&) = delete;
  EndOf& operator=(const EndOf&) = delete;
  ~EndOf() {
    if (watched_ >= 0) close(watched_);
  }
  bool comes_within(int milliseconds) const {
    pollfd end{watched_, POLLIN, 0};  // poll passes over an entry without a file
    if (poll(&end, 1, milliseconds) > 0) return true;
    if (watched_ >= 0) return false;
    siginfo_t ended{};
    const int asked = waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
    return asked == 0 ? ended.si_pid == pid_ : errno != EINTR;  // there is no child any more where SIGCHLD is ignored
  }

 private:
  const pid_t pid_;
  const int watched_;
};

}  // namespace

int run_to_end(const Command& command, const std::function<void()>& tick) {
  Start start(command);
  if (!command.output.empty()) {
    start.output = open(command.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (start.output < 0) throw failure("making " + command.output.string());
  }
  const pid_t pid = start_kept(start, command.grace);
  if (pid < 0) throw failure("starting a process");
  Kept keeper(pid);
  if (start.output != STDERR_FILENO) close(start.output);
  const EndOf end(pid);
  bool told = false;
  for (; !end.comes_within(kTickMilliseconds); tick()) {
    if (!told && (stop_requested() || (command.cancelled && command.cancelled()))) told = kill(pid, SIGTERM) == 0;
  }
  return keeper.wait();
}

int pass_on(const std::filesystem::path& file, const std::string& program, int code, std::ostream& report) {
  std::ifstream text(file);
  const std::string end = program + " ended with exit code " + std::to_string(code);
  if (!text || text.peek() == std::ifstream::traits_type::eof()) {
    throw_if_stopped();
    throw std::runtime_error(end + " and left no report");
  }
  report << text.rdbuf();
  if (code != 0) std::cerr << end << std::endl;
  return code == 0 && text && report ? exit_code::kMeasured : exit_code::kFailed;
}

}  // namespace assay
