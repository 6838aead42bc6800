#include "logctl/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <thread>

namespace turnlog {
namespace {

constexpr char kProtection = '\x1f';

// Undoes `ProtectArguments`.
const CLI::Validator& Unprotect() {
  static const CLI::Validator unprotect(
      [](std::string& text) {
        if (text.ends_with(kProtection)) text.pop_back();
        return std::string();
      },
      "", "unprotect");
  return unprotect;
}

const CLI::Validator& IsNumber() {
  static const CLI::Validator is_number(
      [](const std::string& text) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool plain = error == std::errc() && end == text.data() + text.size() && std::to_string(number) == text;
        const bool large = error == std::errc::result_out_of_range && end == text.data() + text.size();
        return plain ? std::string() : "\"" + text + (large ? "\" is too large" : "\" is not a number");
      },
      "", "number");
  return is_number;
}

}  // namespace

std::vector<std::string> ProtectArguments(std::span<char* const> typed) {
  std::vector<std::string> result(typed.begin(), typed.end());
  for (std::string& text : result) {
    if (text.starts_with('[') && text.ends_with(']')) text.push_back(kProtection);
  }
  return result;
}

const Parameter& Parameter::Required() const {
  option_->required();
  return *this;
}

void AddDetails(CLI::App& app, const std::string& lines) { app.footer(lines + "\n" + app.get_footer()); }

const Parameter& Parameter::OneOf(const std::vector<std::string>& values, const std::string& prefix) const {
  const std::string list = fmt::format("{}{}", fmt::join(values, ", "), prefix.empty() ? "" : ", " + prefix + "CMD");
  const auto check = [values, list, prefix](const std::string& text) {
    const bool other = !prefix.empty() && text.starts_with(prefix);
    const bool known = other || std::ranges::find(values, text) != values.end();
    return known ? std::string() : fmt::format("\"{}\" is not one of {}", text, list);
  };
  option_->check(CLI::Validator(check, fmt::format("{{{}}}", fmt::join(values, ",")), "choice"));
  return *this;
}

const Parameter& Parameter::Excludes(const Parameter& other) const {
  option_->excludes(other.option_);
  return *this;
}

const Parameter& Parameter::Needs(const Parameter& other) const {
  option_->needs(other.option_);
  other.option_->needs(option_);
  return *this;
}

const Parameter& Parameter::OneValueEach() const {
  option_->allow_extra_args(false);
  return *this;
}

Parameter AddText(CLI::App& app, const std::string& name, std::string& to, const std::string& help,
                  const std::string& label) {
  return Parameter(app.add_option(name, to, help)->transform(Unprotect())->option_text(label));
}

Parameter AddText(CLI::App& app, const std::string& name, std::optional<std::string>& to, const std::string& help,
                  const std::string& label) {
  return Parameter(app.add_option(name, to, help)->transform(Unprotect())->option_text(label));
}

void AddTime(CLI::App& app, const std::string& name, std::optional<std::string>& to, const std::string& help) {
  AddText(app, name, to, help + ": a date, a time like 2026-01-31T10:00:00Z, or an age like 30m, 12h, 7d", "TIME");
}

Parameter AddTexts(CLI::App& app, const std::string& name, std::vector<std::string>& to, const std::string& help,
                   const std::string& label) {
  return Parameter(app.add_option(name, to, help)->transform(Unprotect())->option_text(label));
}

Parameter AddNumber(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& to, const std::string& help,
                    const std::string& label) {
  return Parameter(app.add_option(name, to, help)->check(IsNumber())->option_text(label));
}

Parameter AddFlag(CLI::App& app, const std::string& name, bool& to, const std::string& help) {
  return Parameter(app.add_flag(name, to, help));
}

Expected<unsigned> JobsOf(const std::optional<std::uint64_t>& jobs) {
  constexpr std::uint64_t kMaxJobs = 256;
  if (!jobs) return std::max(1U, std::thread::hardware_concurrency());
  if (*jobs == 0 || *jobs > kMaxJobs) return WrongUsage("--jobs must be 1 to 256");
  return static_cast<unsigned>(*jobs);
}

Progress ShowProgress(Context& context, std::string_view doing) {
  return [&context, doing](std::uint64_t done, std::uint64_t total) { context.messages.Progress(doing, done, total); };
}

}  // namespace turnlog
