// What a command is, and how it declares what may be typed behind its name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "logctl/errors.h"
#include "logctl/messages.h"
#include "logctl/output.h"

// CLI11 is for command.cc, command_line.cc and command_tree.cc: reading it takes a compiler longer than a command does.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace turnlog {

struct Globals {
  std::string store;
  ColorMode color = ColorMode::kAuto;
  bool json = false;
  bool quiet = false;
  bool no_pager = false;
};

// What a running command works with.
struct Context {
  const Globals& globals;
  Output& out;
  Messages& messages;
};

using Action = std::function<CommandResult(Context&)>;

struct Command {
  const char* name;
  const char* summary;
  const char* details;          // behind the options in its --help: what to know, and an example
  Action (*define)(CLI::App&);  // declares the options; what it returns runs the command with what was typed
  bool pages = false;           // on a terminal what it prints goes through a pager
};

// In the order of the help.
std::span<const Command> Commands();

Action DefineAnswer(CLI::App& app);
Action DefineAppend(CLI::App& app);
Action DefineBackup(CLI::App& app);
Action DefineCancel(CLI::App& app);
Action DefineCat(CLI::App& app);
Action DefineCompletion(CLI::App& app);
Action DefineDenials(CLI::App& app);
Action DefineExport(CLI::App& app);
Action DefineGet(CLI::App& app);
Action DefineImport(CLI::App& app);
Action DefineLs(CLI::App& app);
Action DefineManual(CLI::App& app);
Action DefinePending(CLI::App& app);
Action DefineRedact(CLI::App& app);
Action DefineReindex(CLI::App& app);
Action DefineRepairs(CLI::App& app);
Action DefineRestore(CLI::App& app);
Action DefineSanitize(CLI::App& app);
Action DefineScan(CLI::App& app);
Action DefineScavenge(CLI::App& app);
Action DefineSearch(CLI::App& app);
Action DefineShow(CLI::App& app);
Action DefineState(CLI::App& app);
Action DefineStats(CLI::App& app);
Action DefineTail(CLI::App& app);
Action DefineVerify(CLI::App& app);

// CLI11 takes a word in brackets for a list, and numbers with a leading 0 for octal. These do not: any text is itself.
// `ProtectWords` prepares what comes from main for them; `label` stands for the value in the help.
std::vector<std::string> ProtectWords(std::span<char* const> words);

// An argument or option of a command, to say more about it.
class Word {
 public:
  explicit Word(CLI::Option* option) : option_(option) {}
  const Word& Required() const;
  const Word& OneOf(const std::vector<std::string>& values) const;
  const Word& Excludes(const Word& other) const;  // not both
  const Word& OneEach() const;                    // an option of many texts takes one each time, not all that follow

 private:
  CLI::Option* option_;
};

Word AddText(CLI::App& app, const std::string& name, std::string& to, const std::string& help,
             const std::string& label = "TEXT");
Word AddText(CLI::App& app, const std::string& name, std::optional<std::string>& to, const std::string& help,
             const std::string& label = "TEXT");
Word AddTexts(CLI::App& app, const std::string& name, std::vector<std::string>& to, const std::string& help,
              const std::string& label = {});
Word AddNumber(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& to, const std::string& help,
               const std::string& label = "N");
Word AddFlag(CLI::App& app, const std::string& name, bool& to, const std::string& help);

}  // namespace turnlog
