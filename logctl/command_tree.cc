#include "logctl/command_tree.h"

#include <CLI/CLI.hpp>
#include <sstream>

namespace turnlog {
namespace {

// CLI11 keeps the values of `Parameter::OneOf` only in the name of the type: "TEXT:{sync,buffered}".
std::vector<std::string> ChoicesOf(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

ParameterInfo Describe(const CLI::Option& option) {
  ParameterInfo info{.help = option.get_description(),
                     .choices = ChoicesOf(option.get_type_name()),
                     .required = option.get_required(),
                     .repeated = option.get_expected_max() > 1 || option.get_items_expected_max() > 1};
  if (option.get_positional()) {
    info.names.push_back(option.get_name(true));
    return info;
  }
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) {
    info.value = option.get_option_text().empty() ? "TEXT" : option.get_option_text();
  }
  return info;
}

// The arguments, or the options.
std::vector<ParameterInfo> DescribeAll(const CLI::App& app, bool positional) {
  std::vector<ParameterInfo> all;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() == positional) all.push_back(Describe(*option));
  }
  return all;
}

}  // namespace

ProgramInfo DescribeProgramOf(const CLI::App& command) {
  const CLI::App& program = *command.get_parent();
  ProgramInfo info{
      .summary = program.get_description(), .details = program.get_footer(), .options = DescribeAll(program, false)};
  for (const CLI::App* each : program.get_subcommands([](const CLI::App*) { return true; })) {
    info.commands.push_back({.name = each->get_name(),
                             .summary = each->get_description(),
                             .details = each->get_footer(),
                             .options = DescribeAll(*each, false),
                             .arguments = DescribeAll(*each, true)});
  }
  return info;
}

}  // namespace turnlog
