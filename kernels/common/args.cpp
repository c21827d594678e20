#include "common/args.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>

#include "common/document.hpp"
#include "common/exit_codes.hpp"

namespace assay {
namespace {

// CLI::Range accepts NaN, which is neither below nor above a bound.
CLI::Validator finite_range(double low, double high) {
  CLI::Validator range = CLI::Range(low, high);
  return range & CLI::Validator(
                     [](std::string& text) {
                       const bool nan = text.find_first_of("nN") != std::string::npos;
                       return nan ? "value " + text + " is not a finite number" : std::string();
                     },
                     "");
}

// CLI11's own splitting passes over empty entries.
std::vector<std::string> entries_of(const std::string& name, const std::vector<std::string>& words) {
  std::vector<std::string> entries;
  for (const std::string& word : words) {
    std::istringstream text(word + ',');
    for (std::string entry; std::getline(text, entry, ',');) {
      if (entry.empty()) throw CLI::ValidationError(name, "'" + word + "' has an empty entry");
      entries.push_back(entry);
    }
  }
  return entries;
}

template <typename Value>
std::vector<Value> values_of(const std::string& name, const std::vector<std::string>& words, const CLI::Validator& allowed) {
  std::vector<Value> values;
  for (std::string entry : entries_of(name, words)) {
    if (const std::string complaint = allowed(entry); !complaint.empty()) throw CLI::ValidationError(name, complaint);
    Value value{};
    if (!CLI::detail::lexical_cast(entry, value)) throw CLI::ConversionError(entry, name);
    if (std::find(values.begin(), values.end(), value) != values.end()) throw CLI::ValidationError(name, entry + " stands there twice");
    values.push_back(value);
  }
  return values;
}

template <typename Value>
std::string list_text(const std::vector<Value>& values) {
  std::ostringstream text;
  for (std::size_t i = 0; i < values.size(); ++i) text << (i > 0 ? "," : "") << values[i];
  return text.str();
}

template <typename Value>
void add_list(CLI::App& app, const std::string& name, std::vector<Value>& target, const CLI::Validator& allowed, const std::string& help) {
  const auto read = [name, &target, allowed](const std::vector<std::string>& words) { target = values_of<Value>(name, words, allowed); };
  app.add_option_function<std::vector<std::string>>(name, read, help)
      ->default_str(list_text(target))
      ->type_name(allowed.get_description());
}

}  // namespace

struct Args::Impl {
  CLI::App app;
  Impl(const std::string& program, const std::string& description) : app(description, program) {}
};

Args::Args(const std::string& program, const std::string& description)
    : impl_(std::make_unique<Impl>(program, description)) {
  impl_->app.set_version_flag("--version", program + " " + build_version());
  impl_->app.get_formatter()->column_width(34);
}

Args::~Args() = default;

void Args::integer(const std::string& name, std::int64_t& target, std::int64_t low, std::int64_t high,
                   const std::string& help) {
  impl_->app.add_option(name, target, help)->capture_default_str()->check(CLI::Range(low, high));
}

void Args::bytes(std::int64_t& target, std::int64_t low, std::int64_t high, const std::string& help) {
  integer("--bytes", target, low, high, help);
}

void Args::number(const std::string& name, double& target, double low, double high, const std::string& help) {
  impl_->app.add_option(name, target, help)->capture_default_str()->check(finite_range(low, high));
}

void Args::flag(const std::string& name, bool& target, const std::string& help) {
  impl_->app.add_flag(name, target, help);
}

void Args::text(const std::string& name, std::string& target, const std::string& help) {
  impl_->app.add_option(name, target, help)->capture_default_str();
}

void Args::choice(const std::string& name, std::string& target, const std::vector<std::string>& allowed,
                  const std::string& help) {
  impl_->app.add_option(name, target, help)->capture_default_str()->check(CLI::IsMember(allowed));
}

void Args::choices(const std::string& name, std::vector<std::string>& target, const std::vector<std::string>& allowed,
                   const std::string& help) {
  add_list(impl_->app, name, target, CLI::IsMember(allowed), help);
}

void Args::integers(const std::string& name, std::vector<std::int64_t>& target, std::int64_t low, std::int64_t high,
                    const std::string& help) {
  add_list(impl_->app, name, target, CLI::Range(low, high), help);
}

std::optional<int> Args::parse(int argc, const char* const* argv) {
  try {
    impl_->app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    const int code = impl_->app.exit(error, std::cout, std::cerr);
    return code == 0 ? exit_code::kMeasured : exit_code::kUsage;
  }
}

}  // namespace assay
