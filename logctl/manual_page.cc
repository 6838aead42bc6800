#include "logctl/manual_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace turnlog {
namespace {

// One line of text, escaped for roff.
std::string Roff(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\\') {
      line += "\\e";
    } else if (c == '-') {
      line += "\\-";
    } else {
      line.push_back(c);
    }
  }
  return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

std::string Bold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }

// The details of the help: lines that begin with two spaces are examples, printed verbatim.
std::string Paragraphs(std::string_view text) {
  std::string page;
  bool example = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (indented != example) page += indented ? ".RS 4\n.nf\n" : ".fi\n.RE\n";
    example = indented;
    page += line.empty() ? ".PP" : Roff(indented ? std::string_view(line).substr(2) : line);
    page += '\n';
  }
  return page + (example ? ".fi\n.RE\n" : "");
}

std::string Option(const ParameterInfo& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(Bold(name));
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (!option.value.empty()) head += " " + Italic(option.value);
  return fmt::format(".TP\n{}\n{}\n", head, Roff(option.help));
}

std::string Argument(const ParameterInfo& argument) {
  return fmt::format(".TP\n{}\n{}\n", Italic(argument.names.front()), Roff(argument.help));
}

std::string CommandSection(const CommandInfo& command) {
  std::string head = "logctl " + command.name + " [OPTIONS]";
  for (const ParameterInfo& argument : command.arguments) {
    const std::string name = argument.names.front() + (argument.repeated ? "..." : "");
    head += argument.required ? " " + name : " [" + name + "]";
  }
  std::string page = fmt::format(".SS {}\n{}.\n.PP\n", Roff(head), Roff(command.summary));
  page += Paragraphs(command.details);
  for (const ParameterInfo& argument : command.arguments) page += Argument(argument);
  for (const ParameterInfo& option : command.options) page += Option(option);
  return page;
}

constexpr std::string_view kEnvironment = R"(.SH ENVIRONMENT
.TP
.B TURNLOG_STORE
The store's folder, unless \fB\-\-store\fR is given.
.TP
.BR PAGER ", " LESS
The program that shows long output on a terminal; none if it is empty or \fBcat\fR. LESS defaults to FRX.
.TP
.B NO_COLOR
If it is set, output is coloured only with \fB\-\-color always\fR.
.TP
.B COLUMNS
Overrides the width of the terminal.
)";

}  // namespace

std::string ManualPage(const ProgramInfo& program, std::string_view version) {
  std::string page = fmt::format(".TH LOGCTL 1 \"\" \"turnlog {}\" \"turnlog\"\n", version);
  page += ".SH NAME\nlogctl \\- read, check and repair the conversations of AI agents\n";
  page += ".SH SYNOPSIS\n.B logctl\n[\\fB\\-\\-store\\fR \\fIPATH\\fR] \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  page += fmt::format(".SH DESCRIPTION\n{}.\n.PP\n{}", Roff(program.summary), Paragraphs(program.details));
  page += ".SH OPTIONS\nEvery command takes these, before or after its name.\n";
  for (const ParameterInfo& option : program.options) page += Option(option);
  page += ".SH COMMANDS\n";
  for (const CommandInfo& command : program.commands) page += CommandSection(command);
  return page.append(kEnvironment);
}

}  // namespace turnlog
