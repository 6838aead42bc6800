// From the arguments of the program to a command that can run.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "logctl/command.h"

namespace turnlog {

class CommandLine {
 public:
  CommandLine();

  struct Run {
    Action action;
    bool uses_pager = false;
  };
  // A command to run; a text to print, such as help; or wrong usage.
  using Request = std::variant<Run, std::string, Failure>;
  Request Parse(std::span<char* const> typed);         // without the program's name
  const Globals& globals() const { return globals_; }  // as parsed; the defaults for wrong usage
  // The name of the command, also if it is used wrongly; empty if there is none.
  std::string command() const;

 private:
  void DefineGlobals();
  Failure Explain(const CLI::ParseError& error) const;
  Failure ExplainExtra(const CLI::App& app, const std::vector<std::string>& extra, const std::string& help) const;

  Globals globals_;
  CLI::App app_;
  std::map<const CLI::App*, Run> commands_;
};

}  // namespace turnlog
