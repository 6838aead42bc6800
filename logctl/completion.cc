#include "logctl/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace turnlog {
namespace {

// The completions of a value.
enum class ValueKind : unsigned char { kOther, kChoice, kFile, kFolder, kConversation };

ValueKind KindOf(const ParameterInfo& word) {
  const std::string& label = word.value.empty() ? word.names.front() : word.value;
  if (!word.choices.empty()) return ValueKind::kChoice;
  if (label == "CONV") return ValueKind::kConversation;
  if (label == "DIR" || label == "BACKUP") return ValueKind::kFolder;
  return label == "PATH" || label == "FILE" ? ValueKind::kFile : ValueKind::kOther;
}

std::vector<std::string> NamesOf(const std::vector<ParameterInfo>& options) {
  std::vector<std::string> names;
  for (const ParameterInfo& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::string Replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t found = text.find(what, at);
    result.append(text.substr(at, found - at));
    if (found == std::string_view::npos) return result;
    result.append(with);
    at = found + what.size();
  }
}

// Escapes a text for single quotes.
std::string ShellQuoted(std::string_view text) { return "'" + Replaced(text, "'", "'\\''") + "'"; }
std::string FishQuoted(std::string_view text) { return "'" + Replaced(Replaced(text, "\\", "\\\\"), "'", "\\'") + "'"; }

// --- bash ---

std::string BashValues(const ParameterInfo& word) {
  switch (KindOf(word)) {
    case ValueKind::kChoice:
      return fmt::format("_logctl_reply \"{}\"", fmt::join(word.choices, " "));
    case ValueKind::kConversation:
      return "_logctl_conversations";
    case ValueKind::kFile:
      return "_logctl_files -f";
    case ValueKind::kFolder:
      return "_logctl_files -d";
    case ValueKind::kOther:
      return "COMPREPLY=()";
  }
  return {};
}

// A case for each option with a value: "COMMAND --option".
std::string BashOptionCases(std::string_view command, const std::vector<ParameterInfo>& options) {
  std::string cases;
  for (const ParameterInfo& option : options) {
    if (option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) patterns.push_back(fmt::format("{}' {}'", command, name));
    cases += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"), BashValues(option));
  }
  return cases;
}

std::string BashCommandCase(const CommandInfo& command) {
  std::string arguments;
  for (const ParameterInfo& argument : command.arguments) {
    if (KindOf(argument) != ValueKind::kOther) arguments += " " + BashValues(argument) + ";";
  }
  return fmt::format("    {}) options=\"{}\"\n      [[ $cur == -* ]] || {{{} return; }} ;;\n", command.name,
                     fmt::join(NamesOf(command.options), " "), arguments);
}

constexpr std::string_view kBashBegin = R"sh(# bash completion for logctl; written by `logctl completion bash`

_logctl_reply() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}

_logctl_files() {
  local word
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$1" -- "$cur")
}

_logctl_conversations() {
  local id
  while IFS= read -r id; do
    [[ $id == "$cur"* ]] && COMPREPLY+=("$(printf %q "$id")")
  done < <("${COMP_WORDS[0]}" ${store:+--store "$store"} ls --ids --limit 1000 2>/dev/null)
}

_logctl() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev='' command='' store='' options='' i
  COMPREPLY=()
  if ((COMP_CWORD > 0)); then prev=${COMP_WORDS[COMP_CWORD - 1]}; fi
  if [[ $prev == = ]] && ((COMP_CWORD > 1)); then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [[ $cur == = ]]; then cur=''; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --store)
        if [[ ${COMP_WORDS[i + 1]-} == = ]]; then ((i++)); fi
        ((i++))
        store=${COMP_WORDS[i]-}
        ;;
      --color) if [[ ${COMP_WORDS[i + 1]-} == = ]]; then ((i++)); fi; ((i++)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=${COMP_WORDS[i]}; fi ;;
    esac
  done
  case "$command $prev" in
)sh";

}  // namespace

std::string BashCompletion(const ProgramInfo& program) {
  std::string script(kBashBegin);
  script += BashOptionCases("*", program.options);
  for (const CommandInfo& command : program.commands) script += BashOptionCases(command.name, command.options);
  std::vector<std::string> names;
  for (const CommandInfo& command : program.commands) names.push_back(command.name);
  script += fmt::format(
      "  esac\n  case $command in\n    '') options=\"{}\"\n      [[ $cur == -* ]] || {{ _logctl_reply "
      "\"$options\"; return; }} ;;\n",
      fmt::join(names, " "));
  for (const CommandInfo& command : program.commands) script += BashCommandCase(command);
  return script + fmt::format(
                      "  esac\n  [[ $cur == -* ]] && _logctl_reply \"$options {}\"\n}}\n\n"
                      "complete -F _logctl logctl\n",
                      fmt::join(NamesOf(program.options), " "));
}

// --- zsh ---

namespace {

std::string ZshText(std::string_view text) {
  return Replaced(Replaced(Replaced(text, "[", "\\["), "]", "\\]"), ":", "\\:");
}

std::string ZshValue(const ParameterInfo& word) {
  switch (KindOf(word)) {
    case ValueKind::kChoice:
      return fmt::format("({})", fmt::join(word.choices, " "));
    case ValueKind::kConversation:
      return "_logctl_conversations";
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kOther:
      return " ";
  }
  return {};
}

std::string ZshOption(const ParameterInfo& option) {
  std::string lines;
  for (const std::string& name : option.names) {
    std::string spec = option.repeated ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    spec += fmt::format("{}[{}]", name, ZshText(option.help));
    if (!option.value.empty()) spec += fmt::format(":{}:{}", ZshText(option.value), ZshValue(option));
    lines += "        " + ShellQuoted(spec) + "\n";
  }
  return lines;
}

std::string ZshArgument(const ParameterInfo& argument) {
  return "        " +
         ShellQuoted(fmt::format("{}:{}:{}", argument.repeated ? "*" : "", ZshText(argument.names.front()),
                                 ZshValue(argument))) +
         "\n";
}

}  // namespace

std::string ZshCompletion(const ProgramInfo& program) {
  std::string script = R"sh(#compdef logctl
# zsh completion for logctl; written by `logctl completion zsh`

_logctl_conversations() {
  local from=${opt_args[--store]:-$store}
  local -a ids
  ids=(${(f)"$(_call_program conversations logctl ${from:+--store $from} ls --ids --limit 1000 2>/dev/null)"})
  compadd -a ids
}

_logctl() {
  local curcontext=$curcontext state line store
  local -a globals commands all=("${words[@]}")
  local -i current=$CURRENT at=2
  local -A opt_args
  globals=(
)sh";
  for (const ParameterInfo& option : program.options) script += ZshOption(option);
  script += "  )\n  commands=(\n";
  for (const CommandInfo& command : program.commands) {
    script += fmt::format("    {}\n", ShellQuoted(command.name + ":" + Replaced(command.summary, ":", "\\:")));
  }
  script +=
      "  )\n  _arguments -C $globals '1:command:->command' '*::argument:->arguments'\n"
      "  store=${opt_args[--store]}\n  case $state in\n"
      "    command) _describe command commands ;;\n"
      "    arguments)\n"
      "      # Options after the command, which are left out of `words`, belong to its line.\n"
      "      while ((at < current)) && [[ $all[at] != $line[1] || $all[at-1] == --(store|color) ]]; do ((at++)); done\n"
      "      words=(\"${(@)all[at,-1]}\") CURRENT=$((current - at + 1))\n"
      "      case $line[1] in\n";
  for (const CommandInfo& command : program.commands) {
    script += fmt::format("      {})\n        local -a specs=(\n", command.name);
    for (const ParameterInfo& option : command.options) script += ZshOption(option);
    for (const ParameterInfo& argument : command.arguments) script += ZshArgument(argument);
    script += "        )\n        _arguments $globals $specs ;;\n";
  }
  return script + "    esac ;;\n  esac\n}\n\n_logctl \"$@\"\n";
}

// --- fish ---

namespace {

constexpr std::string_view kFishBegin = R"sh(# fish completion for logctl; written by `logctl completion fish`

# The store and the command on the line before the cursor.
function __logctl_line
    set -g __logctl_store
    set -g __logctl_command
    set -l option
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            test $option = --store; and set __logctl_store $word
            set option
            continue
        end
        switch $word
            case --store --color
                set option $word
            case '--store=*'
                set __logctl_store (string sub -s 9 -- $word)
            case '-*'
            case '*'
                set -q __logctl_command[1]; or set __logctl_command $word
        end
    end
end

function __logctl_needs_command
    __logctl_line
    not set -q __logctl_command[1]
end

function __logctl_has_command
    __logctl_line
    test "$__logctl_command" = $argv[1]
end

function __logctl_conversations
    __logctl_line
    set -l from
    test -n "$__logctl_store"; and set from --store $__logctl_store
    logctl $from ls --ids --limit 1000 2>/dev/null
end

complete -c logctl -f
)sh";

constexpr std::string_view kFishConversations = "(__logctl_conversations)";

std::string FishValue(const ParameterInfo& word) {
  switch (KindOf(word)) {
    case ValueKind::kChoice:
      return " -x -a " + FishQuoted(fmt::format("{}", fmt::join(word.choices, " ")));
    case ValueKind::kConversation:
      return " -x -a " + FishQuoted(kFishConversations);
    case ValueKind::kFile:
    case ValueKind::kFolder:
      return " -r -F";
    case ValueKind::kOther:
      return " -x";
  }
  return {};
}

std::string FishOption(std::string_view condition, const ParameterInfo& option) {
  std::string line = fmt::format("complete -c logctl{}", condition);
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value.empty()) line += FishValue(option);
  return line + " -d " + FishQuoted(option.help) + "\n";
}

std::string FishArgument(std::string_view condition, const ParameterInfo& argument) {
  switch (KindOf(argument)) {
    case ValueKind::kChoice:
      return fmt::format("complete -c logctl{} -a {}\n", condition,
                         FishQuoted(fmt::format("{}", fmt::join(argument.choices, " "))));
    case ValueKind::kConversation:
      return fmt::format("complete -c logctl{} -a {}\n", condition, FishQuoted(kFishConversations));
    case ValueKind::kFile:
    case ValueKind::kFolder:
      return fmt::format("complete -c logctl{} -F\n", condition);
    case ValueKind::kOther:
      return {};
  }
  return {};
}

}  // namespace

std::string FishCompletion(const ProgramInfo& program) {
  std::string script(kFishBegin);
  for (const ParameterInfo& option : program.options) script += FishOption("", option);
  for (const CommandInfo& command : program.commands) {
    script += fmt::format("\ncomplete -c logctl -n __logctl_needs_command -a {} -d {}\n", command.name,
                          FishQuoted(command.summary));
    const std::string condition = fmt::format(" -n '__logctl_has_command {}'", command.name);
    for (const ParameterInfo& option : command.options) script += FishOption(condition, option);
    for (const ParameterInfo& argument : command.arguments) script += FishArgument(condition, argument);
  }
  return script;
}

}  // namespace turnlog
