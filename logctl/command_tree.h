// What can be typed, as the parser knows it: completions and the manual page are written from this, as the help is.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace turnlog {

struct WordInfo {
  std::vector<std::string> names;  // "-q", "--quiet"; of an argument its name in the help
  std::string value;               // what its value is called; empty for flags and arguments
  std::string help;
  std::vector<std::string> choices;  // all values that it may have; empty: others, too
  bool required = false, repeated = false;
};

struct CommandInfo {
  std::string name, summary, details;
  std::vector<WordInfo> options, arguments;
};

struct ProgramInfo {
  std::string summary, details;
  std::vector<WordInfo> options;  // that every command takes
  std::vector<CommandInfo> commands;
};

ProgramInfo DescribeProgramOf(const CLI::App& command);

}  // namespace turnlog
