#include "common/host/process.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/host/folder.hpp"
#include "common/stop.hpp"

namespace assay {
namespace {

class Process : public testing::Test {
 protected:
  std::string text(const std::string& file) const {
    std::ifstream in(folder_.path() / file);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  int shell(const std::string& script) const { return run_to_end({{"sh", "-c", script}, folder_.path()}); }
  Command with_grace(const std::string& script, std::chrono::milliseconds grace) const {
    Command command{{"sh", "-c", script}, folder_.path()};
    command.grace = grace;
    return command;
  }
  // Whether the process runs whose number a script has written into a file; a corpse that nobody has reaped does too.
  bool runs(const std::string& file) const { return kill(std::stoi(text(file)), 0) == 0; }
  void await(const std::string& file) const {
    while (text(file).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  TemporaryFolder folder_{"process_test"};
  const WatchForStop watch_;  // forgets the stop of another test
};

TEST_F(Process, TellsHowTheProgramEnded) {
  EXPECT_EQ(shell("exit 0"), 0);
  EXPECT_EQ(shell("exit 3"), 3);
  EXPECT_EQ(shell("kill -KILL $$"), 128 + SIGKILL);
  EXPECT_EQ(run_to_end({{"no-such-program"}, folder_.path()}), 127);
  EXPECT_EQ(run_to_end({{"true"}, folder_.path() / "missing"}), 126) << "a folder that is not there";
}

TEST_F(Process, WorksInItsFolderWithItsEnvironment) {
  setenv("PROCESS_TEST_RANK", "7", 1);
  setenv("PROCESS_TEST", "kept", 1);
  EXPECT_EQ(run_to_end({{"sh", "-c", "echo \"$PROCESS_TEST $ADDED ${PROCESS_TEST_RANK-none}\" >file"},
                        folder_.path(), {{"ADDED", "new"}}, {"PROCESS_TEST_*"}}), 0);
  EXPECT_EQ(text("file"), "kept new none\n");
}

TEST_F(Process, WritesNothingOnOurStdout) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(shell("echo from it"), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "from it\n");
}

TEST_F(Process, WritesItsOutputToAFile) {
  EXPECT_EQ(run_to_end({{"sh", "-c", "echo from it"}, folder_.path(), {}, {}, folder_.path() / "file"}), 0);
  EXPECT_EQ(text("file"), "from it\n");
}

TEST_F(Process, EndsOnceItIsCancelled) {
  EXPECT_EQ(run_to_end({{"sleep", "600"}, folder_.path(), {}, {}, {}, [] { return true; }}), 128 + SIGTERM);
}

// A stop reaches the program, which still writes what it has.
TEST_F(Process, AStopIsPassedOnAndItsEndAwaited) {
  bool ready = false;
  const int code = run_to_end(with_grace("trap 'echo partly >file; exit 4' TERM; sleep 600 & echo >ready; wait", std::chrono::minutes(10)), [&] {
    if (!ready && std::filesystem::exists(folder_.path() / "ready")) {
      ready = true;
      raise(SIGTERM);
    }
  });
  EXPECT_EQ(code, 4);
  EXPECT_EQ(text("file"), "partly\n");
}

// What a launcher of ranks may leave: it has ended, and they are in sessions of their own and heed no SIGTERM.
const std::string kDeaf = "setsid sh -c 'trap \"\" TERM; echo $$ >deaf.new; mv deaf.new deaf; exec sleep 600' & until [ -s deaf ]; do sleep 0.01; done; ";

TEST_F(Process, NothingThatItStartedOutlivesIt) {
  EXPECT_EQ(run_to_end(with_grace(kDeaf + "exit 3", std::chrono::milliseconds(50))), 3);
  EXPECT_FALSE(runs("deaf"));
}

TEST_F(Process, WhatItLeavesBehindMayEndByItself) {
  const std::string polite = "setsid sh -c 'trap \"echo bye >bye; exit\" TERM; echo >ready; while :; do sleep 0.01; done' & until [ -e ready ]; do sleep 0.01; done";
  EXPECT_EQ(run_to_end(with_grace(polite, std::chrono::minutes(10))), 0);
  EXPECT_EQ(text("bye"), "bye\n");
}

TEST_F(Process, AProgramThatHeedsNoStopIsKilledWithAllItStarted) {
  Command command = with_grace(kDeaf + "trap '' TERM; echo $$ >itself; while :; do sleep 600; done", std::chrono::milliseconds(50));
  command.cancelled = [&] { return !text("itself").empty(); };
  EXPECT_EQ(run_to_end(command), 128 + SIGKILL);
  EXPECT_FALSE(runs("itself"));
  EXPECT_FALSE(runs("deaf"));
}

TEST_F(Process, NothingOutlivesUsIfWeAreKilled) {
  const pid_t self = fork();
  if (self == 0) _exit(run_to_end(with_grace(kDeaf + "trap '' TERM; echo $$ >itself; while :; do sleep 600; done", std::chrono::minutes(10))));
  await("itself");
  kill(self, SIGKILL);
  waitpid(self, nullptr, 0);
  while (runs("itself") || runs("deaf")) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // or until this test is given up
}

// As a container's profile may: from now on, this process cannot open a pidfd.
bool refuse_pidfds() {
  std::array<sock_filter, 4> program{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
                                      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                                      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog filter{program.size(), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST_F(Process, RunsWhereNoPidfdCanBeOpened) {
  constexpr int kNoFilter = 99;
  const auto code_of = [](const Command& command) {
    const pid_t self = fork();
    if (self == 0) _exit(refuse_pidfds() && syscall(SYS_pidfd_open, getpid(), 0) < 0 ? run_to_end(command) : kNoFilter);
    int status = 0;
    waitpid(self, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  const int code = code_of(with_grace("exit 3", std::chrono::minutes(10)));
  if (code == kNoFilter) GTEST_SKIP() << "no seccomp filter can be set here";
  EXPECT_EQ(code, 3);
  Command endless = with_grace("exec sleep 600", std::chrono::minutes(10));
  endless.cancelled = [] { return true; };
  EXPECT_EQ(code_of(endless), 128 + SIGTERM);
  // Nobody is told how a child ended here, but it must be seen that it did: else this never returns.
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  code_of(with_grace("exit 3", std::chrono::minutes(10)));
  std::signal(SIGCHLD, before);
}

TEST_F(Process, AReportIsPassedOnUnchangedEvenIfItsProgramFailed) {
  std::ofstream(folder_.path() / "log") << "wrong data\n";
  std::ostringstream report;
  EXPECT_EQ(pass_on(folder_.path() / "log", "true", 0, report), 0);
  EXPECT_EQ(pass_on(folder_.path() / "log", "false", 3, report), 1);
  EXPECT_EQ(report.str(), "wrong data\nwrong data\n");
}

TEST_F(Process, AProgramWithoutAReportIsAnError) {
  std::ofstream(folder_.path() / "empty");
  std::ostringstream report;
  for (const char* file : {"empty", "missing"}) {
    EXPECT_THROW(pass_on(folder_.path() / file, "true", 0, report), std::runtime_error) << file;
  }
  EXPECT_EQ(report.str(), "");
}

}  // namespace
}  // namespace assay
