#include "logctl/import_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logctl/json_document.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

constexpr std::size_t kProblemsShown = 50;

void AddProblems(JsonDocument& json, std::string_view key, const std::vector<ImportProblem>& problems) {
  json.Array(key);
  for (const ImportProblem& problem : problems) {
    json.Object();
    json.Field("code", ToString(problem.code));
    json.Field("file", problem.file);
    json.Field("element", problem.element);
    json.Field("line", problem.line);
    json.Field("byte", problem.byte);
    if (!problem.conversation.empty()) json.Field("conversation", problem.conversation);
    json.Field("reason", problem.reason);
    json.EndObject();
  }
  json.EndArray();
}

void AddBytes(JsonDocument& json, const std::vector<ImportedBytes>& sources) {
  json.Array("bytes");
  for (const ImportedBytes& bytes : sources) {
    json.Object();
    json.Field("source", bytes.source);
    json.Field("size", bytes.size);
    json.Field("imported", bytes.imported);
    json.Field("kept_raw", bytes.kept_raw);
    json.Field("unreadable", bytes.unreadable);
    json.EndObject();
  }
  json.EndArray();
}

// "sources of 7,821 bytes: 7,000 imported, 821 kept raw, 0 unreadable"; nothing if all were imported.
std::string BytesLine(const std::vector<ImportedBytes>& sources) {
  ImportedBytes sum;
  for (const ImportedBytes& bytes : sources) {
    sum.size += bytes.size;
    sum.imported += bytes.imported;
    sum.kept_raw += bytes.kept_raw;
    sum.unreadable += bytes.unreadable;
  }
  if (sum.imported == sum.size) return {};
  return fmt::format("sources of {} bytes: {} imported, {} kept raw, {} unreadable\n", Thousands(sum.size),
                     Thousands(sum.imported), Thousands(sum.kept_raw), Thousands(sum.unreadable));
}

// "3 secrets found (github-pat 2, password-assignment 1): ..."; nothing if there is none.
std::string SecretsLine(const ImportReport& report, SecretDetection detection) {
  std::uint64_t sum = 0;
  std::string rules;
  for (const auto& [rule, count] : report.secrets) {
    sum += count;
    rules += fmt::format("{}{} {}", rules.empty() ? "" : ", ", rule, Thousands(count));
  }
  if (sum == 0) return {};
  const bool redacted = detection == SecretDetection::kRedact;
  return fmt::format("{} {} ({}): {}\n", Counted(sum, "secret"), redacted ? "redacted" : "found", rules,
                     redacted ? "change them, and delete or redact the sources"
                              : "`logctl redact --detect --dry-run --report` shows where; change them, too");
}

void PrintJson(Output& out, const ImportReport& report) {
  JsonDocument json(out);
  json.Object("conversations");
  json.Field("added", report.added);
  json.Field("extended", report.extended);
  json.Field("unchanged", report.unchanged);
  json.Field("failed", report.failed);
  json.EndObject();
  json.Field("events", report.events);
  json.Field("bytes_read", report.bytes_read);
  json.Field("bytes_parsed", report.bytes_parsed);
  AddBytes(json, report.bytes);
  json.Object("secrets");
  for (const auto& [rule, count] : report.secrets) json.Field(rule, count);
  json.EndObject();
  AddProblems(json, "problems", report.problems);
  AddProblems(json, "notes", report.notes);
}

// One line for those with the same reason in the same file, and for what is only to be known and is of many files.
enum class Alike { kInFile, kAnywhere };

template <class Print>
void PrintEach(const std::vector<ImportProblem>& problems, Alike alike, Print print) {
  constexpr std::size_t kMany = 4;
  struct Line {
    const ImportProblem* first;
    std::size_t more;
    bool in_file;
  };
  std::vector<Line> lines;
  std::map<std::string_view, std::size_t> with_reason;
  for (const ImportProblem& problem : problems) ++with_reason[problem.reason];
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> known;
  for (const ImportProblem& problem : problems) {
    const bool in_file = alike == Alike::kInFile || with_reason[problem.reason] < kMany;
    const std::string_view file = in_file ? problem.file : std::string_view();
    const auto [line, added] = known.try_emplace({file, problem.reason}, lines.size());
    if (added) lines.push_back({.first = &problem, .more = 0, .in_file = in_file});
    if (!added) ++lines[line->second].more;
  }
  std::size_t left = problems.size();
  for (const auto& [first, more, in_file] : lines | std::views::take(kProblemsShown)) {
    const char* const where = in_file ? " in the file" : "";
    print(more == 0 ? ToString(*first) : fmt::format("{} ({} more like this{})", ToString(*first), more, where));
    left -= 1 + more;
  }
  if (left > 0) print(fmt::format("... and {} more; --json lists all", left));
}

void PrintText(Context& context, const ImportReport& report, SecretDetection detection) {
  PrintEach(report.notes, Alike::kAnywhere, [&](const std::string& text) { context.messages.Note("note: " + text); });
  PrintEach(report.problems, Alike::kInFile, [&](const std::string& text) { context.messages.Warn(text); });
  if (context.globals.quiet) return;
  std::string line = fmt::format("{} added", Counted(report.added, "conversation"));
  const auto more = [&](std::uint64_t count, const char* what) {
    if (count > 0) line += fmt::format(", {} {}", Thousands(count), what);
  };
  more(report.extended, "extended");
  more(report.unchanged, "unchanged");
  more(report.failed, "failed");
  context.out.Write(fmt::format("{}; {}\n", line, Counted(report.events, "new event")));
  context.out.Write(BytesLine(report.bytes));
  context.out.Write(SecretsLine(report, detection));
}

}  // namespace

void PrintImportReport(Context& context, const ImportReport& report, SecretDetection detection) {
  context.globals.json ? PrintJson(context.out, report) : PrintText(context, report, detection);
}

}  // namespace turnlog
