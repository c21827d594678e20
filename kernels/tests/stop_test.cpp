#include "common/stop.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/exit_codes.hpp"
#include "common/program.hpp"
#include "common/sampling.hpp"

namespace assay {
namespace {

using nlohmann::json;

// What a program told to end by `signal` in the middle of its second measurement prints.
json stopped_by(int signal) {
  std::ostringstream out, err;
  const int code = run_program("x", out, err, [&](Document& doc) {
    doc.measurement("first", "W", Better::Lower).add("a", {1, 1, 0});
    StoppingRule rule(6, 1000, 0, 1e9);
    while (rule.wants_more()) {
      rule.add(1, 1);
      if (rule.all_samples().size() == 3) raise(signal);
    }
    doc.measurement("second", "W", Better::Lower).add("a", rule.summary());
  });
  EXPECT_EQ(code, exit_code::kFailed);
  EXPECT_NE(err.str().find("x: stopped by SIG"), std::string::npos) << err.str();
  return json::parse(out.str());
}

TEST(Stop, LeavesADocumentWithWhatWasMeasured) {
  const auto doc = stopped_by(SIGTERM);
  ASSERT_EQ(doc["measurements"].size(), 1u) << "a figure of three samples is none";
  EXPECT_EQ(doc["measurements"][0]["name"], "first");
  ASSERT_EQ(doc["checks"].size(), 1u);
  EXPECT_EQ(doc["checks"][0]["name"], "finished");
  EXPECT_EQ(doc["checks"][0]["ok"], false);
  EXPECT_EQ(doc["checks"][0]["message"].get<std::string>().find("stopped by SIGTERM after 0.0 s"), 0u) << doc;
}

TEST(Stop, NamesTheSignal) {
  EXPECT_EQ(stopped_by(SIGINT)["checks"][0]["message"].get<std::string>().find("stopped by SIGINT"), 0u);
}

TEST(Stop, ABodyThatEndsByItselfIsToldToo) {
  std::ostringstream out, err;
  run_program("x", out, err, [](Document& doc) {
    raise(SIGTERM);
    doc.measurement("m", "W", Better::Lower).add("a", {1, 1, 0});
  });
  EXPECT_EQ(json::parse(out.str())["checks"][0]["name"], "finished");
}

TEST(Stop, TheNextProgramStartsAnew) {
  stopped_by(SIGTERM);
  std::ostringstream out, err;
  EXPECT_EQ(run_program("x", out, err, [](Document& doc) { doc.measurement("m", "W", Better::Lower).add("a", {1, 1, 0}); }),
            exit_code::kMeasured);
}

TEST(StopDeathTest, TheSecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const WatchForStop watch;
        raise(SIGTERM);
        raise(SIGTERM);
        _exit(0);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace assay
