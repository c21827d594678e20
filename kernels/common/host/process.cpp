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
#include <stdexcept>
#include <string>

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

[[noreturn]] void become(const std::vector<char*>& argv, const std::vector<char*>& environment, const char* folder, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // whoever kills us ends it too
  if (getppid() != parent || chdir(folder) != 0 || dup2(output, STDOUT_FILENO) < 0) _exit(126);
  execvpe(argv[0], argv.data(), environment.data());
  const int why = errno;
  std::perror(argv[0]);
  _exit(why == ENOENT ? 127 : 126);
}

}  // namespace

int run_to_end(const Command& command, const std::function<void()>& tick) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> variables = environment_of(command);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> environment = pointers(variables);
  int output = STDERR_FILENO;
  if (!command.output.empty()) {
    output = open(command.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0) throw failure("making " + command.output.string());
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw failure("starting a process");
  if (child == 0) become(argv, environment, command.folder.c_str(), output, parent);
  if (output != STDERR_FILENO) close(output);
  const int watched = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (watched < 0) throw failure("watching " + words[0]);
  bool told = false;
  for (pollfd end{watched, POLLIN, 0}; poll(&end, 1, kTickMilliseconds) <= 0; tick()) {
    if (!told && (stop_requested() || (command.cancelled && command.cancelled()))) told = kill(child, SIGTERM) == 0;
  }
  close(watched);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw failure("waiting for " + words[0]);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace assay
