#include "logctl/command.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace turnlog {
namespace {

constexpr char kProtection = '\x1f';

// The words that `ProtectWords` marked, as they were typed.
const CLI::Validator& Unprotect() {
  static const CLI::Validator unprotect(
      [](std::string& word) {
        if (word.ends_with(kProtection)) word.pop_back();
        return std::string();
      },
      "", "unprotect");
  return unprotect;
}

const CLI::Validator& IsNumber() {
  static const CLI::Validator is_number(
      [](const std::string& word) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        const bool plain = error == std::errc() && end == word.data() + word.size() && std::to_string(number) == word;
        return plain ? std::string() : "\"" + word + "\" is not a number";
      },
      "", "number");
  return is_number;
}

}  // namespace

std::vector<std::string> ProtectWords(std::span<char* const> words) {
  std::vector<std::string> result(words.begin(), words.end());
  for (std::string& word : result) {
    if (word.starts_with('[') && word.ends_with(']')) word.push_back(kProtection);
  }
  return result;
}

const Word& Word::Required() const {
  option_->required();
  return *this;
}

const Word& Word::OneOf(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

const Word& Word::Excludes(const Word& other) const {
  option_->excludes(other.option_);
  return *this;
}

const Word& Word::OneEach() const {
  option_->allow_extra_args(false);
  return *this;
}

Word AddText(CLI::App& app, const std::string& name, std::string& to, const std::string& help,
             const std::string& label) {
  return Word(app.add_option(name, to, help)->transform(Unprotect())->option_text(label));
}

Word AddText(CLI::App& app, const std::string& name, std::optional<std::string>& to, const std::string& help,
             const std::string& label) {
  return Word(app.add_option(name, to, help)->transform(Unprotect())->option_text(label));
}

Word AddTexts(CLI::App& app, const std::string& name, std::vector<std::string>& to, const std::string& help,
              const std::string& label) {
  return Word(app.add_option(name, to, help)->transform(Unprotect())->option_text(label));
}

Word AddNumber(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& to, const std::string& help,
               const std::string& label) {
  return Word(app.add_option(name, to, help)->check(IsNumber())->option_text(label));
}

Word AddFlag(CLI::App& app, const std::string& name, bool& to, const std::string& help) {
  return Word(app.add_flag(name, to, help));
}

}  // namespace turnlog
