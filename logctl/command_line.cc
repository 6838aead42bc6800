#include "logctl/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "logctl/text.h"

namespace turnlog {
namespace {

constexpr const char* kFooter = R"(Examples:
  logctl --store my.log import jp ~/project/.jp
  export TURNLOG_STORE=my.log
  logctl ls
  logctl show 17648402467

`logctl COMMAND --help` says more about a command. Messages go to standard error, data to standard output.
Exit codes: 0 fine, 1 it failed, 2 wrong usage, 3 a --check found something.)";

// Help without CLI11's decorations: an option is followed by what its value is called, and by nothing else.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(28);
    label("SUBCOMMAND", "COMMAND");
    label("Subcommands", "Commands");
    label("Positionals", "Arguments");
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional() || option->get_option_text().empty()) return {};
    return " " + option->get_option_text();
  }

  std::string make_footer(const CLI::App* app) const override {
    const bool of_command = app->get_parent() != nullptr;
    return (of_command ? "Every command takes --store PATH, --json, --color WHEN and -q; see `logctl --help`.\n\n"
                       : "") +
           Formatter::make_footer(app);
  }
};

}  // namespace

CommandLine::CommandLine() : app_("logctl looks after the conversations of AI agents in a turnlog store", "logctl") {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_help_flag("-h,--help", "Print this help");
  app_.require_subcommand(1);
  app_.fallthrough();  // global options behind the command, too
  app_.footer(kFooter);
  DefineGlobals();
  for (const Command& command : Commands()) {
    CLI::App* sub = app_.add_subcommand(command.name, command.summary)->group("Commands")->footer(command.details);
    commands_[sub] = {command.define(*sub), command.pages};
  }
}

void CommandLine::DefineGlobals() {
  AddText(app_, "--store", globals_.store, "The store's folder; else the variable TURNLOG_STORE says it", "PATH");
  app_.get_option("--store")->envname("TURNLOG_STORE");
  app_.add_flag("--json", globals_.json, "Reports as one JSON document");
  const auto set_color = [this](const std::string& word) {
    globals_.color = word == "auto" ? ColorMode::kAuto : word == "always" ? ColorMode::kAlways : ColorMode::kNever;
  };
  app_.add_option_function<std::string>("--color", set_color,
                                        "auto (on a terminal, unless NO_COLOR is set), always or never")
      ->option_text("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app_.add_flag("-q,--quiet", globals_.quiet, "No progress, no notes; only data and errors");
  app_.add_flag("--no-pager", globals_.no_pager, "Long output goes straight to the terminal, not through PAGER");
  app_.set_version_flag("--version", "logctl " TURNLOG_VERSION, "Say which version this is");
}

CommandLine::Request CommandLine::Parse(std::span<char* const> words) {
  try {
    auto arguments = ProtectWords(words);
    std::ranges::reverse(arguments);  // as CLI11 wants them
    app_.parse(std::move(arguments));
    return commands_.at(app_.get_subcommands().front());
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? app_.help() : chosen.front()->help("logctl");
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    return Explain(error);
  }
}

Failure CommandLine::Explain(const CLI::ParseError& error) const {
  const auto chosen = app_.get_subcommands();
  const auto extra = app_.remaining();
  if (!chosen.empty()) return {kUsage, error.what(), fmt::format("see `logctl {} --help`", chosen.front()->get_name())};
  if (!extra.empty()) return ExplainWord(extra.front());
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  return {kUsage, required ? "which command?" : error.what(), "see `logctl --help`"};
}

// Why a word in place of a command is none.
Failure CommandLine::ExplainWord(const std::string& word) const {
  if (word.starts_with('-')) return {kUsage, fmt::format("there is no option {}", word), "see `logctl --help`"};
  constexpr std::size_t kTypingMistake = 2;
  const auto commands = Commands();
  const auto similar = std::ranges::find_if(
      commands, [&](const Command& command) { return EditDistance(command.name, word) <= kTypingMistake; });
  return {kUsage, fmt::format("there is no command \"{}\"", word),
          similar == commands.end() ? "`logctl --help` lists them" : fmt::format("did you mean {}?", similar->name)};
}

}  // namespace turnlog
