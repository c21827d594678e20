#include "common/host/process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

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

  TemporaryFolder folder_{"process_test"};
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
  const WatchForStop watch;
  bool ready = false;
  const int code = run_to_end(
      {{"sh", "-c", "trap 'kill $!; echo partly >file; exit 4' TERM; sleep 60 & echo >ready; wait"}, folder_.path()}, [&] {
        if (!ready && std::filesystem::exists(folder_.path() / "ready")) {
          ready = true;
          raise(SIGTERM);
        }
      });
  EXPECT_EQ(code, 4);
  EXPECT_EQ(text("file"), "partly\n");
}

}  // namespace
}  // namespace assay
