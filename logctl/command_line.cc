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

`logctl COMMAND --help` describes a command. Data goes to standard output, messages to standard error.
Exit codes: 0 success, 1 failure or damage, 2 wrong usage, 3 a check found something, 4 a file is in use.)";

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

// CLI11's message in plain terms.
std::string MessageOf(const CLI::ParseError& error) {
  constexpr std::string_view kExcludes = " excludes ";
  std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return option + (text.ends_with(" missing") ? " needs a value" : " may be given only once");
  }
  const std::size_t at = text.find(kExcludes);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) == nullptr || at == std::string::npos) return text;
  return fmt::format("{} cannot be combined with {}", text.substr(0, at), text.substr(at + kExcludes.size()));
}

void AddOptionNames(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
}

}  // namespace

CommandLine::CommandLine()
    : app_("logctl reads, checks and repairs the conversations of AI agents in a turnlog store", "logctl") {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_help_flag("-h,--help", "Print this help");
  app_.require_subcommand(1);
  app_.fallthrough();  // global options after the command, too
  app_.footer(kFooter);
  DefineGlobals();
  for (const CommandGroup& group : CommandGroups()) {
    for (const Command& command : group.commands) {
      CLI::App* sub = app_.add_subcommand(command.name, command.summary)->group(group.name)->footer(command.details);
      commands_[sub] = {command.define(*sub), command.uses_pager};
    }
  }
}

void CommandLine::DefineGlobals() {
  AddText(app_, "--store", globals_.store,
          "The store's folder, a postgresql: URL, or a running service: unix:SOCKET, http://ADDRESS:PORT or "
          "https://HOST:PORT; default: the environment variable TURNLOG_STORE",
          "PATH");
  app_.get_option("--store")->envname("TURNLOG_STORE");
  app_.add_flag("--json", globals_.json, "Print the report as one JSON document");
  const auto set_color = [this](const std::string& when) {
    globals_.color = when == "auto" ? ColorMode::kAuto : when == "always" ? ColorMode::kAlways : ColorMode::kNever;
  };
  Parameter(app_.add_option_function<std::string>("--color", set_color,
                                                  "auto (on a terminal, unless NO_COLOR is set), always or never")
                ->option_text("WHEN"))
      .OneOf({"auto", "always", "never"});
  app_.add_flag("-q,--quiet", globals_.quiet, "Print no progress and no notes, only data and errors");
  app_.add_flag("--no-pager", globals_.no_pager, "Print long output to the terminal, not through PAGER");
  app_.set_version_flag("--version", "logctl " TURNLOG_VERSION, "Print the version");
}

CommandLine::Request CommandLine::Parse(std::span<char* const> typed) {
  try {
    auto arguments = ProtectArguments(typed);
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

std::string CommandLine::command() const {
  const auto chosen = app_.get_subcommands();
  return chosen.empty() ? "" : chosen.front()->get_name();
}

Failure CommandLine::Explain(const CLI::ParseError& error) const {
  const auto chosen = app_.get_subcommands();
  const CLI::App& app = chosen.empty() ? app_ : *chosen.front();
  const std::string help = chosen.empty() ? "logctl --help" : fmt::format("logctl {} --help", app.get_name());
  if (const auto extra = app_.remaining(true); !extra.empty()) return ExplainExtra(app, extra, help);
  if (chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return {kUsage, "no command given", fmt::format("`{}` lists the commands", help)};
  }
  return {kUsage, MessageOf(error), fmt::format("see `{}`", help)};
}

// The first argument that neither the program nor the command knows; a misspelt option before its value.
Failure CommandLine::ExplainExtra(const CLI::App& app, const std::vector<std::string>& extra,
                                  const std::string& help) const {
  const auto option = std::ranges::find_if(extra, [](const std::string& text) { return text.starts_with('-'); });
  const std::string unknown = option == extra.end() ? extra.front() : option->substr(0, option->find('='));
  std::vector<std::string> known;
  if (option != extra.end()) {
    for (const CLI::App* each : {&app, &app_}) AddOptionNames(*each, known);
  } else if (&app == &app_) {
    for (const CLI::App* each : app_.get_subcommands({})) known.push_back(each->get_name());
  }
  if (std::ranges::find(known, unknown) != known.end()) {
    return {kUsage, fmt::format("{} is an option of {}, and stands before it", unknown, app.get_name()),
            fmt::format("logctl {} {}", app.get_name(), unknown)};
  }
  const auto similar = MostSimilar(unknown, known);
  const std::string_view what = option != extra.end() ? "unknown option"
                                : &app == &app_       ? "unknown command"
                                                      : "unexpected argument";
  return {kUsage, fmt::format("{} \"{}\"", what, unknown),
          similar ? fmt::format("did you mean {}?", *similar) : fmt::format("see `{}`", help)};
}

}  // namespace turnlog
