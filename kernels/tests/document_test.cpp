#include "common/document.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/exit_codes.hpp"

namespace assay {
namespace {

using nlohmann::json;

struct Finished {
  int code;
  std::string text;
  json doc;
};

Finished finish(Document& doc) {
  std::ostringstream out;
  const int code = doc.finish(out);
  return {code, out.str(), json::parse(out.str())};
}

TEST(Document, HasTheShapeOfTheContract) {
  Document doc("p2p", "1.2.3");
  doc.parameter("bytes", 1 << 20);
  doc.parameter("mode", "write");
  doc.parameter("verify", true);
  doc.parameter("seconds", 0.25);
  doc.measurement("unidirectionalBandwidth", "GB/s", Better::Higher).add("gpu0->gpu1", {392.1, 12, 0.004});
  doc.measurement("latency", "us", Better::Lower).add("gpu0->gpu1", {1.368, 30, 0.01});
  doc.check("dataIntegrity", true, "every byte compared");
  doc.note("one note");
  doc.device(0, "GPU-1", "H200");
  auto [code, text, got] = finish(doc);

  EXPECT_EQ(code, exit_code::kMeasured);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << "one line";
  EXPECT_GE(got["elapsedSeconds"].get<double>(), 0);
  got.erase("elapsedSeconds");
  EXPECT_EQ(got, json::parse(R"({
    "schema": "assay.dev/result/v1", "benchmark": "p2p", "version": "1.2.3",
    "parameters": {"bytes": 1048576, "mode": "write", "verify": true, "seconds": 0.25},
    "measurements": [
      {"name": "unidirectionalBandwidth", "unit": "GB/s", "better": "higher",
       "parts": [{"at": "gpu0->gpu1", "value": 392.1, "samples": 12, "spread": 0.004}]},
      {"name": "latency", "unit": "us", "better": "lower",
       "parts": [{"at": "gpu0->gpu1", "value": 1.368, "samples": 30, "spread": 0.01}]}],
    "checks": [{"name": "dataIntegrity", "ok": true, "message": "every byte compared"}],
    "notes": ["one note"],
    "device": [{"index": 0, "uuid": "GPU-1", "product": "H200"}]})"));
}

TEST(Document, PrintsSixSignificantDigits) {
  Document doc("x");
  doc.measurement("rate", "GB/s", Better::Higher).add("a", {392.123456789, 3, 0.123456789});
  const auto text = finish(doc).text;
  EXPECT_NE(text.find("\"value\":392.123,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"spread\":0.12346}"), std::string::npos) << text;
}

TEST(Document, SameMeasurementIsNotMadeTwice) {
  Document doc("x");
  auto& first = doc.measurement("rate", "GB/s", Better::Higher);
  for (int i = 0; i < 100; ++i) doc.measurement("m" + std::to_string(i), "us", Better::Lower);
  first.add("a", {1, 1, 0});
  doc.measurement("rate", "GB/s", Better::Higher).add("b", {2, 1, 0});
  const auto got = finish(doc).doc;
  ASSERT_EQ(got["measurements"].size(), 1u) << "measurements without parts are left out";
  EXPECT_EQ(got["measurements"][0]["parts"].size(), 2u);
}

TEST(Document, LaterParameterReplacesEarlier) {
  Document doc("x");
  doc.parameter("n", 1);
  doc.parameter("n", 2);
  EXPECT_EQ(finish(doc).doc["parameters"], json::parse(R"({"n": 2})"));
}

TEST(Document, NonFiniteValueIsLeftOutNotedAndFails) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Document doc("x");
  auto& rate = doc.measurement("rate", "GB/s", Better::Higher);
  rate.add("good", {1, 3, 0});
  rate.add("nan", {nan, 3, 0});
  rate.add("inf", {infinity, 3, 0});
  rate.add("spread", {1, 3, infinity});
  const auto [code, text, got] = finish(doc);
  EXPECT_EQ(code, exit_code::kFailed);
  ASSERT_EQ(got["measurements"][0]["parts"].size(), 1u);
  EXPECT_EQ(got["measurements"][0]["parts"][0]["at"], "good");
  EXPECT_EQ(got["notes"].size(), 3u);
  EXPECT_EQ(got["checks"][0]["name"], "finiteValues");
  EXPECT_EQ(got["checks"][0]["ok"], false);
}

TEST(Document, FailedCheckFailsAndKeepsTheNumbers) {
  Document doc("x");
  doc.measurement("rate", "GB/s", Better::Higher).add("a", {1, 1, 0});
  doc.check("first", false, "wrong at 7");
  doc.check("second", true);
  const auto [code, text, got] = finish(doc);
  EXPECT_EQ(code, exit_code::kFailed);
  EXPECT_EQ(got["measurements"].size(), 1u);
  EXPECT_FALSE(got["checks"][1].contains("message"));
}

TEST(Document, NothingMeasuredFails) {
  Document doc("x");
  doc.check("dataIntegrity", true);
  const auto [code, text, got] = finish(doc);
  EXPECT_EQ(code, exit_code::kFailed);
  EXPECT_EQ(got["checks"][1]["name"], "measured");
  EXPECT_TRUE(got["measurements"].is_array());
}

TEST(Document, SkippedSaysWhyAndHoldsNoNumbers) {
  Document doc("x");
  doc.measurement("rate", "GB/s", Better::Higher).add("a", {1, 1, 0});
  doc.skip("no GPU");
  const auto [code, text, got] = finish(doc);
  EXPECT_EQ(code, exit_code::kCannotRun);
  EXPECT_EQ(got["skipped"], "no GPU");
  EXPECT_FALSE(got.contains("measurements"));
}

TEST(Document, TextThatIsNotUtf8StillGivesADocument) {
  Document doc("x");
  doc.measurement("rate", "GB/s", Better::Higher).add("a", {1, 1, 0});
  doc.device(0, "GPU-\xff", "product");
  EXPECT_EQ(finish(doc).code, exit_code::kMeasured);
}

TEST(Document, HasTheDistributionOfSamplesOnly) {
  Document doc("x");
  auto& rate = doc.measurement("rate", "GB/s", Better::Higher);
  rate.add("gpu0", summarize({100, 101, 99, 100, 50}));
  rate.add("gpu1", {1, 1, 0});
  EXPECT_EQ(doc.outliers_of("gpu0").outliers, 1u);
  EXPECT_EQ(doc.outliers_of("gpu0").samples, 5u);
  const auto parts = finish(doc).doc["measurements"][0]["parts"];
  EXPECT_EQ(parts[0], json::parse(R"({"at": "gpu0", "value": 100, "samples": 5, "spread": 0.01483, "min": 50, "mean": 90, "p95": 100.8,
                                      "outliers": 1})"));
  EXPECT_EQ(parts[1], json::parse(R"({"at": "gpu1", "value": 1, "samples": 1, "spread": 0})"));
}

TEST(Document, ACheckThatComesTwiceIsOne) {
  Document doc("x");
  doc.measurement("rate", "GB/s", Better::Higher).add("a", {1, 1, 0});
  doc.check("comparable", true);
  doc.check("comparable", false, "gpu0");
  doc.check("comparable", false, "gpu1");
  doc.check("comparable", true, "gpu2");
  EXPECT_EQ(finish(doc).doc["checks"], json::parse(R"([{"name": "comparable", "ok": false, "message": "gpu0; gpu1; gpu2"}])"));
}

TEST(Document, FactsKeepTheirTypesAndOrder) {
  Document doc("x");
  doc.measurement("rate", "GB/s", Better::Higher).add("a", {1, 1, 0});
  doc.fact("vbios", "gpu0", "96.00");
  doc.fact("cores", "", 64);
  doc.fact("smt", "", true);
  doc.fact("speed", "", 26.562);
  doc.fact("empty", "", "");
  doc.fact("infinite", "", std::numeric_limits<double>::infinity());
  const auto facts = finish(doc).doc["facts"];
  EXPECT_EQ(facts.dump(), R"([{"at":"gpu0","name":"vbios","value":"96.00"},{"name":"cores","value":64},)"
                          R"({"name":"smt","value":true},{"name":"speed","value":26.562}])");
}

TEST(Document, UnwritableOutputFails) {
  Document doc("x");
  doc.measurement("rate", "GB/s", Better::Higher).add("a", {1, 1, 0});
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(doc.finish(out), exit_code::kFailed);
}

}  // namespace
}  // namespace assay
