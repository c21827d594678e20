#include "common/host/keeper.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kUnkillable{10};  // stuck in a driver: what SIGKILL does not end by then is left to the kernel
constexpr timespec kPatience{1, 0};              // signals wake us
constexpr timespec kHaste{0, 10'000'000};        // but nothing tells of a descendant that becomes our child

// From /proc/PID/stat, where the program's name is in brackets and may hold anything.
pid_t parent_of(const char* pid) {
  const int file = open((std::string("/proc/") + pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  std::array<char, 512> text{};
  const ssize_t length = read(file, text.data(), text.size() - 1);
  close(file);
  const char* name_end = length > 0 ? std::strrchr(text.data(), ')') : nullptr;
  int parent = -1;
  return name_end != nullptr && std::sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

std::vector<pid_t> children() {
  std::vector<pid_t> all;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return all;
  while (const dirent* entry = readdir(folder)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid > 0 && parent_of(entry->d_name) == getpid()) all.push_back(pid);
  }
  closedir(folder);
  return all;
}

void send_children(int signal) {
  for (const pid_t child : children()) kill(child, signal);
}

class Keeper {
 public:
  Keeper(pid_t parent, pid_t command, std::chrono::milliseconds grace) : parent_(parent), command_(command), grace_(grace) {}

  int keep() {
    const sigset_t signals = keeper_signals();
    while (reap() && !given_up()) {
      end_what_is_due();
      const int signal = sigtimedwait(&signals, nullptr, kill_at_ ? &kHaste : &kPatience);
      if (signal == SIGTERM && !ended_ && getppid() == parent_) {
        kill(command_, SIGTERM);
        kill_by(grace_);
      }
    }
    return code_;
  }

 private:
  // Whether a child is left. Descendants become children when their parents end.
  bool reap() {
    int status = 0;
    pid_t child = 0;
    while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
      if (child != command_) continue;
      ended_ = true;
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return child == 0;
  }

  void end_what_is_due() {
    if (getppid() != parent_) kill_by(std::chrono::milliseconds(0));
    if (ended_ && !told_rest_) {
      told_rest_ = true;
      send_children(SIGTERM);
      kill_by(grace_);
    }
    if (kill_at_ && Clock::now() >= *kill_at_) send_children(SIGKILL);
  }

  void kill_by(std::chrono::milliseconds grace) {
    const auto at = Clock::now() + grace;
    if (!kill_at_ || at < *kill_at_) kill_at_ = at;
  }

  bool given_up() const {
    const bool all_tried = kill_at_ && Clock::now() >= *kill_at_ + kUnkillable;
    if (all_tried) std::fputs("a process that was started is left behind: SIGKILL does not end it\n", stderr);
    return all_tried;
  }

  const pid_t parent_, command_;
  const std::chrono::milliseconds grace_;
  bool ended_ = false, told_rest_ = false;
  int code_ = 128 + SIGKILL;
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace

sigset_t keeper_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

void keep(pid_t parent, std::chrono::milliseconds grace, const std::function<void()>& start) {
  setpgid(0, 0);                       // whoever kills our program's group leaves us to clean up
  prctl(PR_SET_PDEATHSIG, SIGTERM);    // wakes us when our program is gone
  prctl(PR_SET_CHILD_SUBREAPER, 1L);   // descendants do not get past us
  std::signal(SIGCHLD, SIG_DFL);       // whoever ignores it is told of no child's end
  if (getppid() != parent) _exit(126);
  const pid_t command = fork();
  if (command < 0) {
    std::perror("starting a process");
    _exit(126);
  }
  if (command == 0) start();
  _exit(Keeper(parent, command, grace).keep());
}

}  // namespace assay
