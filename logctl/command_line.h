// From the words on the command line to what is to be done.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <span>
#include <string>
#include <variant>

#include "logctl/command.h"

namespace turnlog {

class CommandLine {
 public:
  CommandLine();

  struct Run {
    Action action;
    bool pages = false;
  };
  // A command to run; text to print, such as help; or what was wrong.
  using Request = std::variant<Run, std::string, Failure>;
  Request Parse(std::span<char* const> words);         // without the program's name
  const Globals& globals() const { return globals_; }  // as parsed; the defaults if the words were wrong

 private:
  void DefineGlobals();
  Failure Explain(const CLI::ParseError& error) const;
  Failure ExplainWord(const std::string& word) const;

  Globals globals_;
  CLI::App app_;
  std::map<const CLI::App*, Run> commands_;
};

}  // namespace turnlog
