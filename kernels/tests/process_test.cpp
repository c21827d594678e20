#include "common/host/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
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

}  // namespace
}  // namespace assay
