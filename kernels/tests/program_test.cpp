#include "common/program.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "common/exit_codes.hpp"

namespace assay {
namespace {

using nlohmann::json;

TEST(Program, MeasuredIsZeroAndSilentOnStderr) {
  std::ostringstream out, err;
  EXPECT_EQ(run_program("x", out, err,
                        [](Document& doc) { doc.measurement("m", "W", Better::Lower).add("a", {1, 1, 0}); }),
            exit_code::kMeasured);
  EXPECT_EQ(json::parse(out.str())["version"], build_version());
  EXPECT_EQ(err.str(), "");
}

TEST(Program, CannotRunIsSeventySevenWithTheReasonInBothPlaces) {
  std::ostringstream out, err;
  EXPECT_EQ(run_program("x", out, err, [](Document&) { throw CannotRun("no GPU found"); }), exit_code::kCannotRun);
  EXPECT_EQ(json::parse(out.str())["skipped"], "no GPU found");
  EXPECT_NE(err.str().find("no GPU found"), std::string::npos);
}

TEST(Program, AHardwareFaultIsNoErrorOfTheProgram) {
  std::ostringstream out, err;
  EXPECT_EQ(run_program("x", out, err, [](Document&) { throw HardwareFault("gpu0: uncorrectable ECC error"); }), exit_code::kFailed);
  const auto doc = json::parse(out.str());
  ASSERT_EQ(doc["checks"].size(), 1u);
  EXPECT_EQ(doc["checks"][0]["name"], "hardware");
  EXPECT_EQ(doc["checks"][0]["message"], "gpu0: uncorrectable ECC error");
}

TEST(Program, AnyOtherExceptionFailsAndKeepsWhatWasMeasured) {
  std::ostringstream out, err;
  EXPECT_EQ(run_program("x", out, err,
                        [](Document& doc) {
                          doc.measurement("m", "W", Better::Lower).add("a", {1, 1, 0});
                          throw std::runtime_error("link down");
                        }),
            exit_code::kFailed);
  const auto doc = json::parse(out.str());
  EXPECT_EQ(doc["measurements"].size(), 1u);
  EXPECT_EQ(doc["checks"][0]["name"], "completed");
  EXPECT_EQ(doc["checks"][0]["message"], "link down");
  EXPECT_NE(err.str().find("link down"), std::string::npos);
}

}  // namespace
}  // namespace assay
