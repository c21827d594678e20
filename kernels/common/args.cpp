#include "common/args.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <memory>
#include <set>

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

// Refuses a value that stands in the list again. Checks run value by value, so it remembers.
template <typename Value>
std::function<std::string(const std::string&)> once(const std::string& name) {
  return [name, seen = std::make_shared<std::set<Value>>()](const std::string& text) {
    Value value{};
    if (!CLI::detail::lexical_cast(text, value) || seen->insert(value).second) return std::string();
    return name + " names " + text + " twice";
  };
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
  impl_->app.add_option(name, target, help)->delimiter(',')->capture_default_str()->check(CLI::IsMember(allowed))->check(
      once<std::string>(name));
}

void Args::integers(const std::string& name, std::vector<std::int64_t>& target, std::int64_t low, std::int64_t high,
                    const std::string& help) {
  impl_->app.add_option(name, target, help)->delimiter(',')->capture_default_str()->check(CLI::Range(low, high))->check(
      once<std::int64_t>(name));
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
