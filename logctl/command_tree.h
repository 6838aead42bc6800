// The commands with their options, as the parser knows them. Completions and the manual page are generated from this,
// as the help is.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace turnlog {

struct ParameterInfo {
  std::vector<std::string> names;  // "-q", "--quiet"; for an argument its name in the help
  std::string value;               // the name of its value; empty for flags and arguments
  std::string help;
  std::vector<std::string> choices;  // all values that it accepts; empty: any
  bool required = false, repeated = false;
};

struct CommandInfo {
  std::string name, summary, details;
  std::vector<ParameterInfo> options, arguments;
};

struct ProgramInfo {
  std::string summary, details;
  std::vector<ParameterInfo> options;  // global
  std::vector<CommandInfo> commands;
};

ProgramInfo DescribeProgramOf(const CLI::App& command);

}  // namespace turnlog
