#include "common/document.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <ostream>

#include "common/exit_codes.hpp"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

// Six significant digits are more than any benchmark is worth, and keep the document small.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

Json to_json(const Document::Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, double>) {
          return std::isfinite(held) ? Json(rounded(held)) : Json(nullptr);
        } else {
          return held;
        }
      },
      value);
}

// "gpu0" and "gpu3" of "gpu0->gpu3"; nothing of "2gpu", which is a team.
std::vector<std::string> gpus_in(const std::string& part) {
  const std::string word = "gpu";
  std::vector<std::string> gpus;
  for (auto at = part.find(word); at != std::string::npos; at = part.find(word, at + 1)) {
    auto end = at + word.size();
    while (end < part.size() && std::isdigit(static_cast<unsigned char>(part[end])) != 0) ++end;
    if (end > at + word.size()) gpus.push_back(part.substr(at, end - at));
  }
  return gpus;
}

}  // namespace

std::string build_version() { return ASSAY_VERSION; }

Document::Document(std::string benchmark, std::string version)
    : benchmark_(std::move(benchmark)), version_(std::move(version)), start_(std::chrono::steady_clock::now()) {}

Measurement& Document::measurement(const std::string& name, const std::string& unit, Better better) {
  for (auto& known : measurements_) {
    if (known.name_ == name) return known;
  }
  return measurements_.emplace_back(name, unit, better);
}

void Document::check(const std::string& name, bool ok, const std::string& message) {
  for (auto& known : checks_) {
    if (known.name != name) continue;
    known.ok = known.ok && ok;
    if (!message.empty()) known.message += (known.message.empty() ? "" : "; ") + message;
    return;
  }
  checks_.push_back({name, ok, message});
}

Document::Outliers Document::outliers_of(const std::string& gpu) const {
  Outliers own, all;
  bool are_named = false;
  const auto add = [](Outliers& sum, const Summary& summary) {
    sum.outliers += summary.distribution->outliers;
    sum.samples += summary.samples;
  };
  for (const auto& measurement : measurements_) {
    for (const auto& [at, summary] : measurement.parts_) {
      if (!summary.distribution) continue;
      const auto named = gpus_in(at);
      are_named = are_named || !named.empty();
      add(all, summary);
      if (std::find(named.begin(), named.end(), gpu) != named.end()) add(own, summary);
    }
  }
  return are_named ? own : all;
}

void Document::shorten() {
  for (auto& measurement : measurements_) {
    for (auto& part : measurement.parts_) part.summary.distribution.reset();
  }
}

double Document::elapsed_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string Document::first_failure() const {
  for (const auto& [name, ok, message] : checks_) {
    if (!ok && name != "undisturbed" && name != "comparable") return name + (message.empty() ? "" : ": " + message);
  }
  return "";
}

std::string Document::complaint_of(const std::string& check) const {
  for (const auto& [name, ok, message] : checks_) {
    if (name == check && !ok) return message;
  }
  return "";
}

void Document::note(const std::string& text) { notes_.push_back(text); }

void Document::device(int index, const std::string& uuid, const std::string& product) {
  devices_.push_back({index, uuid, product});
}

void Document::add_fact(const std::string& name, const std::string& at, Value value) {
  const auto* text = std::get_if<std::string>(&value);
  const auto* number = std::get_if<double>(&value);
  if ((text != nullptr && text->empty()) || (number != nullptr && !std::isfinite(*number))) return;
  facts_.push_back({name, at, std::move(value)});
}

void Document::skip(const std::string& reason) { skipped_ = reason.empty() ? "no reason given" : reason; }

void Document::set_parameter(const std::string& name, Value value) {
  for (auto& [known, held] : parameters_) {
    if (known == name) {
      held = std::move(value);
      return;
    }
  }
  parameters_.emplace_back(name, std::move(value));
}

void Document::drop_non_finite() {
  const bool was_stopped = !complaint_of("finished").empty();  // then there may have been no time for a single sample
  for (auto& measurement : measurements_) {
    auto& parts = measurement.parts_;
    const auto is_bad = [](const Measurement::Part& part) {
      return !std::isfinite(part.summary.value) || !std::isfinite(part.summary.spread);
    };
    for (const auto& part : parts) {
      if (!is_bad(part)) continue;
      note(measurement.name_ + " at " + part.at + " is not a finite number and was left out");
      if (!was_stopped) check("finiteValues", false, measurement.name_ + " at " + part.at);
    }
    parts.erase(std::remove_if(parts.begin(), parts.end(), is_bad), parts.end());
  }
}

std::string Document::render(double elapsed_seconds) const {
  Json doc = {{"schema", "assay.dev/result/v1"}, {"benchmark", benchmark_}, {"version", version_}};
  if (!skipped_.empty()) doc["skipped"] = skipped_;
  for (const auto& [name, value] : parameters_) doc["parameters"][name] = to_json(value);
  if (skipped_.empty()) {
    doc["measurements"] = Json::array();
    for (const auto& measurement : measurements_) {
      if (measurement.parts_.empty()) continue;
      Json parts = Json::array();
      for (const auto& [at, summary] : measurement.parts_) {
        Json part = {{"at", at},
                     {"value", rounded(summary.value)},
                     {"samples", summary.samples},
                     {"spread", rounded(std::round(summary.spread * 1e5) / 1e5)}};
        if (const auto& around = summary.distribution) {
          part["min"] = rounded(around->min);
          part["mean"] = rounded(around->mean);
          part["p95"] = rounded(around->p95);
          part["outliers"] = around->outliers;
        }
        parts.push_back(std::move(part));
      }
      doc["measurements"].push_back({{"name", measurement.name_},
                                     {"unit", measurement.unit_},
                                     {"better", measurement.better_ == Better::Higher ? "higher" : "lower"},
                                     {"parts", std::move(parts)}});
    }
    for (const auto& [name, ok, message] : checks_) {
      Json entry = {{"name", name}, {"ok", ok}};
      if (!message.empty()) entry["message"] = message;
      doc["checks"].push_back(std::move(entry));
    }
  }
  if (!notes_.empty()) doc["notes"] = notes_;
  for (const auto& [index, uuid, product] : devices_) {
    doc["device"].push_back({{"index", index}, {"uuid", uuid}, {"product", product}});
  }
  for (const auto& [name, at, value] : facts_) {
    Json fact = {{"name", name}};
    if (!at.empty()) fact["at"] = at;
    fact["value"] = to_json(value);
    doc["facts"].push_back(std::move(fact));
  }
  doc["elapsedSeconds"] = rounded(elapsed_seconds);
  // Text from drivers and the system may not be UTF-8; a replacement character is better than no document.
  return doc.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int Document::finish(std::ostream& out) {
  int code = exit_code::kCannotRun;
  if (skipped_.empty()) {
    drop_non_finite();
    const bool nothing = std::all_of(measurements_.begin(), measurements_.end(),
                                     [](const Measurement& measurement) { return measurement.parts_.empty(); });
    const bool all_ok = std::all_of(checks_.begin(), checks_.end(), [](const Check& check) { return check.ok; });
    if (nothing && all_ok) check("measured", false, "no value was measured");
    code = nothing || !all_ok ? exit_code::kFailed : exit_code::kMeasured;
  }
  out << render(elapsed_seconds()) << std::endl;
  return out ? code : exit_code::kFailed;
}

}  // namespace assay
