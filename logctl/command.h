// A command of logctl, and how it declares its arguments and options.
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
#include "turnlog/storage_visitor.h"

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
  const char* details;          // printed after the options in its --help; ends with an example
  Action (*define)(CLI::App&);  // declares the arguments and options; the result runs the command with their values
  bool uses_pager = false;      // on a terminal
};

struct CommandGroup {
  const char* name;
  std::span<const Command> commands;
};

// In the order of the help.
std::span<const CommandGroup> CommandGroups();

Action DefineAnswer(CLI::App& app);
Action DefineAppend(CLI::App& app);
Action DefineBackup(CLI::App& app);
Action DefineCancel(CLI::App& app);
Action DefineCat(CLI::App& app);
Action DefineCompletion(CLI::App& app);
Action DefineDenials(CLI::App& app);
Action DefineDoctor(CLI::App& app);
Action DefineExplain(CLI::App& app);
Action DefineExport(CLI::App& app);
Action DefineGet(CLI::App& app);
Action DefineHook(CLI::App& app);
Action DefineImport(CLI::App& app);
Action DefineLint(CLI::App& app);
Action DefineLs(CLI::App& app);
Action DefineManual(CLI::App& app);
Action DefineMcp(CLI::App& app);
Action DefinePending(CLI::App& app);
Action DefineProvenance(CLI::App& app);
Action DefineRedact(CLI::App& app);
Action DefineReindex(CLI::App& app);
Action DefineRepairs(CLI::App& app);
Action DefineRestore(CLI::App& app);
Action DefineResume(CLI::App& app);
Action DefineSanitize(CLI::App& app);
Action DefineScan(CLI::App& app);
Action DefineScavenge(CLI::App& app);
Action DefineSearch(CLI::App& app);
Action DefineServe(CLI::App& app);
Action DefineShow(CLI::App& app);
Action DefineState(CLI::App& app);
Action DefineStats(CLI::App& app);
Action DefineStore(CLI::App& app);
Action DefineTail(CLI::App& app);
Action DefineToken(CLI::App& app);
Action DefineUsage(CLI::App& app);
Action DefineVerify(CLI::App& app);

// The threads of --jobs N; without it, one for each processor.
Expected<unsigned> JobsOf(const std::optional<std::uint64_t>& jobs);

// Shows the progress of a call on standard error, until Messages::EndProgress. `doing` is a literal.
Progress ShowProgress(Context& context, std::string_view doing);

// Puts lines in front of the details that the help of a command ends with.
void AddDetails(CLI::App& app, const std::string& lines);

// CLI11 parses a text in brackets as a list, and a number with a leading 0 as octal. The functions below take every
// text literally; for that `ProtectArguments` has to mark the arguments of main first. `label` names the value in the
// help.
std::vector<std::string> ProtectArguments(std::span<char* const> typed);

// An argument or option of a command, for further declarations.
class Parameter {
 public:
  explicit Parameter(CLI::Option* option) : option_(option) {}
  const Parameter& Required() const;
  // `prefix`: what other texts may begin with; empty: there are none.
  const Parameter& OneOf(const std::vector<std::string>& values, const std::string& prefix = {}) const;
  const Parameter& Excludes(const Parameter& other) const;
  const Parameter& Needs(const Parameter& other) const;  // either needs the other one
  const Parameter& OneValueEach() const;  // a repeatable option takes one value each time, not all that follow

 private:
  CLI::Option* option_;
};

Parameter AddText(CLI::App& app, const std::string& name, std::string& to, const std::string& help,
                  const std::string& label = "TEXT");
Parameter AddText(CLI::App& app, const std::string& name, std::optional<std::string>& to, const std::string& help,
                  const std::string& label = "TEXT");
// For ParseTimeArgument, with the accepted forms in its help.
void AddTime(CLI::App& app, const std::string& name, std::optional<std::string>& to, const std::string& help);
Parameter AddTexts(CLI::App& app, const std::string& name, std::vector<std::string>& to, const std::string& help,
                   const std::string& label = {});
Parameter AddNumber(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& to, const std::string& help,
                    const std::string& label = "N");
Parameter AddFlag(CLI::App& app, const std::string& name, bool& to, const std::string& help);

}  // namespace turnlog
