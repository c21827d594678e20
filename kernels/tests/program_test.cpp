#include "common/program.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/exit_codes.hpp"
#include "common/stop.hpp"

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

// Checks that failed, by name, of a document whose body ends with this exception.
template <typename Exception>
std::map<std::string, std::string> failed_by(const Exception& exception) {
  std::ostringstream out, err;
  EXPECT_EQ(run_program("x", out, err, [&](Document&) { throw exception; }), exit_code::kFailed);
  std::map<std::string, std::string> failed;
  const auto doc = json::parse(out.str());
  for (const auto& check : doc["checks"]) {
    if (!check["ok"]) failed[check["name"]] = check["message"];
  }
  return failed;
}

TEST(Program, WhoTookTheMachineIsNoFaultOfIts) {
  using Failed = std::map<std::string, std::string>;
  EXPECT_EQ(failed_by(NotComparable("gpu0: out of memory")), (Failed{{"comparable", "gpu0: out of memory"}}));
  EXPECT_EQ(failed_by(HardwareFault("ECC error")), (Failed{{"hardware", "ECC error"}}));
}

TEST(Program, ADriverThatIsTooOldIsSeventyEightAndNoFaultOfTheNode) {
  std::ostringstream out, err;
  EXPECT_EQ(run_program("x", out, err, [](Document&) { throw DriverTooOld("driver 535.104.05 knows CUDA up to 12.2"); }), exit_code::kDriverTooOld);
  EXPECT_EQ(err.str(), "x: driver 535.104.05 knows CUDA up to 12.2\n") << "one line";
  const auto doc = json::parse(out.str());
  EXPECT_EQ(doc["checks"][0]["name"], "completed");
  EXPECT_FALSE(doc.contains("skipped")) << "that would read as: there is nothing to test here";
}

TEST(Program, DevicesThatCannotBeUsedFailTheNode) {
  EXPECT_EQ(failed_by(DevicesUnusable("no GPU can be used")).at("devicesUsable"), "no GPU can be used");
}

// Stopped before the first sample: the median of none is no number, and that is nobody's fault.
TEST(Program, AStopBeforeTheFirstSampleBlamesOnlyTheStop) {
  std::ostringstream out, err;
  const auto body = [](Document& doc) {
    doc.measurement("burn", "TFLOP/s", Better::Higher).add("gpu0", summarize({}));
    doc.check("dataIntegrity", true);
    raise(SIGTERM);
  };
  EXPECT_EQ(run_program("burn", out, err, body), exit_code::kFailed);
  for (const auto& check : json::parse(out.str())["checks"]) EXPECT_EQ(check["ok"], check["name"] != "finished") << check;
}

TEST(Program, AnotherProcessThatWasToldToEndEndsThisOne) {
  EXPECT_EQ(failed_by(Stopped("rank 1: stopped by SIGTERM")).at("finished"), "rank 1: stopped by SIGTERM");
}

TEST(Reporter, PrintsTheReportAloneAndEndsByTheCodeOfItsBody) {
  std::ostringstream out, err;
  const auto reporting = [](int code) {
    return [code](std::ostream& report) {
      report << "a report\n";
      return code;
    };
  };
  EXPECT_EQ(run_reporter("x", out, err, reporting(exit_code::kMeasured)), exit_code::kMeasured);
  EXPECT_EQ(run_reporter("x", out, err, reporting(exit_code::kFailed)), exit_code::kFailed);
  EXPECT_EQ(out.str(), "a report\na report\n");
  EXPECT_EQ(err.str(), "");
}

TEST(Reporter, AnErrorLeavesADocumentAndNothingBesideIt) {
  std::ostringstream out, err;
  EXPECT_EQ(run_reporter("x", out, err,
                         [](std::ostream& report) -> int {
                           report << "half a report\n";
                           throw std::runtime_error("no space left");
                         }),
            exit_code::kFailed);
  const auto doc = json::parse(out.str());
  EXPECT_EQ(doc["checks"][0]["name"], "completed");
  EXPECT_EQ(doc["checks"][0]["message"], "no space left");
  EXPECT_NE(err.str().find("half a report"), std::string::npos);
}

TEST(Reporter, AStopLeavesADocument) {
  std::ostringstream out, err;
  EXPECT_EQ(run_reporter("x", out, err,
                         [](std::ostream& report) {
                           report << "half a report\n";
                           raise(SIGTERM);
                           return exit_code::kMeasured;
                         }),
            exit_code::kFailed);
  EXPECT_EQ(json::parse(out.str())["checks"][0]["name"], "finished");
}

// mpirun stops a rank when another one failed: what the report says of it must not be lost.
TEST(Reporter, TheReportOfARankOutlivesAStop) {
  std::ostringstream out, err;
  const auto stopped = [](std::ostream& report) {
    report << "LINCS WARNING\n";
    raise(SIGTERM);
    return exit_code::kFailed;
  };
  EXPECT_EQ(run_reporter("x", out, err, stopped, AfterStop::Report), exit_code::kFailed);
  EXPECT_EQ(out.str(), "LINCS WARNING\n");
}

TEST(Reporter, CannotRunIsSeventySeven) {
  std::ostringstream out, err;
  EXPECT_EQ(run_reporter("x", out, err, [](std::ostream&) -> int { throw CannotRun("no fio"); }), exit_code::kCannotRun);
  EXPECT_EQ(json::parse(out.str())["skipped"], "no fio");
}

}  // namespace
}  // namespace assay
