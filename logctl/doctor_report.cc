#include "logctl/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "logctl/json_document.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

bool Writes(const DoctorOptions& options) {
  return options.action == DoctorAction::kCopy || options.action == DoctorAction::kReplace;
}

// What can be mended, unless it was to be written and was not.
bool IsMended(const SessionFinding& finding, const SessionReport& session, const DoctorOptions& options) {
  return finding.mended && (!Writes(options) || !session.written.empty());
}

std::uint64_t LeftIn(const SurroundingReport& some) {
  std::uint64_t left = 0;
  for (const auto& [rule, count] : some.secrets) left += count;
  return left;
}

struct Totals {
  std::uint64_t sessions = 0, bytes = 0, with_findings = 0, findings = 0, mended = 0, secrets = 0, with_secrets = 0,
                redacted = 0, not_redacted = 0, planned = 0, written = 0;
  std::uint64_t beside = 0, removed = 0;  // secrets in what tools keep beside their sessions: left, removed

  void Add(const SessionReport& session, const DoctorOptions& options) {
    sessions += session.is_part ? 0 : 1;
    bytes += session.size + session.size_of_parts;
    with_findings += session.findings.empty() ? 0 : 1;
    findings += session.findings.size();
    planned += session.passes.empty() ? 0 : 1;
    written += session.written.empty() ? 0 : 1;
    for (const SessionFinding& finding : session.findings) mended += IsMended(finding, session, options) ? 1 : 0;
    with_secrets += session.secrets.empty() ? 0 : 1;
    for (const auto& [rule, found] : session.secrets) secrets += found.count;
    redacted += session.redacted;
    not_redacted += session.not_redacted;
  }
  void Add(const SurroundingReport& some) {
    beside += LeftIn(some);
    removed += some.removed;
  }
};

void AddFindings(JsonDocument& json, const SessionReport& session, const DoctorOptions& options) {
  json.Array("findings");
  for (const SessionFinding& finding : session.findings) {
    json.Object();
    json.Field("rule", finding.rule);
    json.Field("verdict", ToString(finding.verdict));
    json.Field("line", finding.line);
    json.Field("byte", finding.byte);
    if (!finding.detail.empty()) json.Field("detail", finding.detail);
    json.Field("mended", IsMended(finding, session, options));
    json.EndObject();
  }
  json.EndArray();
}

void AddSession(JsonDocument& json, const SessionReport& session, const DoctorOptions& options) {
  json.Object();
  json.Field("file", session.path.string());
  if (!session.session.empty()) json.Field("session", session.session);
  json.Field("format", session.format);
  json.Field("bytes", session.size + session.size_of_parts);
  json.Field("digest", session.digest);
  if (session.problem) {
    json.Field("problem", session.problem->message);
    json.Field("code", ToString(session.problem->code));
  }
  json.Field("busy", session.is_busy());
  AddFindings(json, session, options);
  json.Array("secrets");
  for (const auto& [rule, found] : session.secrets) {
    json.Object();
    json.Field("rule", rule);
    json.Field("count", found.count);
    json.Field("line", found.line);
    json.EndObject();
  }
  json.EndArray();
  if (session.redacted > 0) json.Field("redacted_records", session.redacted);
  if (session.not_redacted > 0) json.Field("not_redacted_records", session.not_redacted);
  if (!session.written.empty()) json.Field("written", session.written.string());
  if (!session.moved.empty()) json.Field("moved", session.moved.string());
  if (!session.backup.empty()) json.Field("backup", session.backup.string());
  if (session.carried_over > 0) json.Field("carried_over", session.carried_over);
  json.EndObject();
}

void AddSurroundings(JsonDocument& json, const std::vector<SurroundingReport>& surroundings) {
  json.Array("surroundings");
  for (const SurroundingReport& some : surroundings) {
    json.Object();
    json.Field("path", some.path.string());
    json.Field("files", some.files);
    json.Field("bytes", some.bytes);
    json.Object("secrets");
    for (const auto& [rule, count] : some.secrets) json.Field(rule, count);
    json.EndObject();
    json.Field("removed", some.removed);
    json.Field("for_people", some.for_people);
    json.Array("busy");
    for (const std::string& busy : some.busy) json.Element(busy);
    json.EndArray();
    json.Array("not_cleaned");
    for (const std::string& problem : some.not_cleaned) json.Element(problem);
    json.EndArray();
    json.Array("not_read");
    for (const std::string& problem : some.not_read) json.Element(problem);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void PrintJson(Output& out, const DoctorReport& report, const DoctorOptions& options) {
  JsonDocument json(out);
  json.Array("sessions");
  for (const SessionReport& session : report.sessions) AddSession(json, session, options);
  json.EndArray();
  json.Array("indexes");
  for (const IndexFinding& finding : report.indexes) {
    json.Object();
    json.Field("rule", finding.rule);
    json.Field("index", finding.index.string());
    json.Field("session", finding.session);
    json.Field("file", finding.file.string());
    json.Field("mended", finding.mended);
    json.EndObject();
  }
  json.EndArray();
  if (!report.surroundings.empty()) AddSurroundings(json, report.surroundings);
  json.Array("problems");
  for (const std::string& problem : report.problems) json.Element(problem);
  json.EndArray();
  json.Array("notes");
  for (const std::string& note : report.notes) json.Element(note);
  json.EndArray();
}

// The findings of one rule.
struct RuleFindings {
  const SessionFinding* first = nullptr;
  std::uint64_t count = 0, left = 0;
};

// `unit`: what the findings count, lines or rows.
void PrintRule(Output& out, std::string_view unit, const RuleFindings& found) {
  const SessionFinding& first = *found.first;
  const bool risk = first.verdict == Verdict::kRisk;
  std::string line = fmt::format("  {} {}: {}{}", unit, first.line,
                                 out.Paint(risk ? Style::kYellow : Style::kRed, first.rule), risk ? " (risk)" : "");
  if (!first.detail.empty()) line += ": " + Printable(first.detail);
  if (found.count > 1) line += fmt::format(", and {} more", found.count - 1);
  if (found.left > 0) line += found.left == found.count ? ", not mended" : fmt::format(", {} not mended", found.left);
  out.Write(line + "\n");
}

void PrintFindings(Output& out, const SessionReport& session, const DoctorOptions& options) {
  std::vector<RuleFindings> rules;
  for (const SessionFinding& finding : session.findings) {
    auto found =
        std::ranges::find_if(rules, [&](const RuleFindings& rule) { return rule.first->rule == finding.rule; });
    if (found == rules.end()) found = rules.insert(rules.end(), RuleFindings{&finding});
    ++found->count;
    found->left += IsMended(finding, session, options) ? 0 : 1;
  }
  for (const RuleFindings& rule : rules) PrintRule(out, session.session.empty() ? "line" : "row", rule);
}

// The file, and of a database the session in it.
std::string NameOf(const SessionReport& session) {
  return session.session.empty() ? session.path.string()
                                 : fmt::format("{}: {}", session.path.string(), session.session);
}

void PrintSession(Context& context, const SessionReport& session, const DoctorOptions& options) {
  Output& out = context.out;
  if (session.findings.empty() && session.secrets.empty() && session.written.empty() && session.moved.empty() &&
      session.carried_over == 0 && session.not_redacted == 0) {
    return;
  }
  out.Write(fmt::format("{} ({}, {})\n", Printable(NameOf(session)), session.format, HumanSize(session.size)));
  PrintFindings(out, session, options);
  const std::string_view unit = session.session.empty() ? "line" : "row";
  for (const auto& [rule, found] : session.secrets) {
    const std::string more = found.count > 1 ? fmt::format(", and {} more", found.count - 1) : std::string();
    out.Write(fmt::format("  {} {}: presumed secret: {}{}\n", unit, found.line, rule, more));
  }
  if (session.redacted > 0) out.Write(fmt::format("  secrets replaced in {}\n", Counted(session.redacted, "record")));
  if (session.not_redacted > 0) {
    out.Write(fmt::format("  secrets not replaced in {}\n", Counted(session.not_redacted, "record")));
  }
  if (session.carried_over > 0) out.Write(fmt::format("  {} bytes carried over\n", Thousands(session.carried_over)));
  if (!session.written.empty()) out.Write(fmt::format("  written: {}\n", Printable(session.written.string())));
  if (!session.moved.empty()) out.Write(fmt::format("  moved: {}\n", Printable(session.moved.string())));
  if (!session.backup.empty()) out.Write(fmt::format("  before: {}\n", Printable(session.backup.string())));
}

// What was done with it, and why not more.
std::string OutcomeOf(const SurroundingReport& some, std::uint64_t left, const DoctorOptions& options) {
  if (left + some.removed == 0) return "nothing found";
  const std::string found = Counted(left + some.removed, "presumed secret");
  if (some.removed > 0) return fmt::format("{} of {} removed", some.removed, found);
  const bool can_be = some.for_people && options.action != DoctorAction::kReplace;
  return found + (can_be ? ", not cleaned: give --in-place" : ", not cleaned");
}

void PrintSurroundings(Context& context, const std::vector<SurroundingReport>& surroundings,
                       const DoctorOptions& options) {
  for (const SurroundingReport& some : surroundings) {
    const std::uint64_t left = LeftIn(some);
    for (const std::string& problem : some.not_read) context.messages.Warn(problem + ": not looked at");
    for (const std::string& problem : some.not_cleaned) context.messages.Warn(problem + ": not cleaned");
    for (const std::string& busy : some.busy) context.messages.Warn(busy);
    if (left + some.removed == 0 && context.globals.quiet) continue;
    context.out.Write(fmt::format("{}: {} ({}, {})\n", Printable(some.path.string()), OutcomeOf(some, left, options),
                                  Counted(some.files, "file"), HumanSize(some.bytes)));
  }
}

// Its file, unless it is in the database that is the index.
std::string NameOf(const IndexFinding& finding) {
  return finding.file == finding.index ? finding.session : finding.file.string();
}

// One line for each index and rule.
void PrintIndexes(Output& out, const std::vector<IndexFinding>& findings) {
  std::map<std::pair<std::string, std::string>, std::vector<const IndexFinding*>> groups;
  for (const IndexFinding& finding : findings) groups[{finding.index.string(), finding.rule}].push_back(&finding);
  for (const auto& [group, some] : groups) {
    std::string more = some.size() > 1 ? fmt::format(", and {} more", some.size() - 1) : "";
    const auto left = std::ranges::count(some, false, [](const IndexFinding* finding) { return finding->mended; });
    if (left > 0 && std::cmp_less(left, some.size())) more += fmt::format(", {} not mended", left);
    if (std::cmp_equal(left, some.size())) more += ", not mended";
    out.Write(fmt::format("{}: {} (risk): {}{}\n", Printable(group.first), out.Paint(Style::kYellow, group.second),
                          Printable(NameOf(*some.front())), more));
  }
}

std::string_view RequirementOf(std::string_view rule) {
  if (const SessionRule* const own = FindSessionRule(rule)) return own->requirement;
  const ProviderRule* const providers = FindProviderRule(rule);
  return providers == nullptr ? std::string_view() : providers->requirement;
}

// For a reader who does not know the rules.
void PrintRequirements(Context& context, const DoctorReport& report) {
  std::set<std::string_view> rules;
  for (const SessionReport& session : report.sessions) {
    for (const SessionFinding& finding : session.findings) rules.insert(finding.rule);
  }
  for (const IndexFinding& finding : report.indexes) rules.insert(finding.rule);
  if (rules.empty() || context.globals.quiet) return;
  context.out.Write("\nWhat is required (logctl explain RULE prints more):\n");
  for (const std::string_view rule : rules) context.out.Write(fmt::format("  {}: {}\n", rule, RequirementOf(rule)));
  context.out.Write("\n");
}

std::string SecretTotals(const Totals& totals, const DoctorOptions& options) {
  std::string text;
  if (totals.redacted > 0) text += fmt::format("; secrets replaced in {}", Counted(totals.redacted, "record"));
  if (totals.not_redacted > 0)
    text += fmt::format("; secrets not replaced in {}", Counted(totals.not_redacted, "record"));
  if (!options.secrets) return text;
  if (totals.secrets > 0) {
    text += fmt::format("; {} in {}{}", Counted(totals.secrets, "presumed secret"),
                        Counted(totals.with_secrets, "session"), totals.redacted > 0 ? " left" : "");
  }
  if (totals.beside + totals.removed > 0) {
    text += fmt::format("; {} of {} beside the sessions removed", Thousands(totals.removed),
                        Counted(totals.beside + totals.removed, "presumed secret"));
  }
  if (totals.secrets + totals.beside + totals.not_redacted > 0) return text;
  return text + (totals.redacted > 0 ? ", none left" : "; no presumed secrets");
}

void PrintTotals(Context& context, const Totals& totals, const DoctorOptions& options) {
  std::string line = fmt::format("{}, {}: ", Counted(totals.sessions, "session"), HumanSize(totals.bytes));
  if (totals.findings == 0 && totals.planned > 0 && !options.redact) {  // a plan has no findings
    line += fmt::format("{} of {} mended", totals.written, Counted(totals.planned, "planned session"));
  } else if (totals.findings == 0) {
    line += "nothing to mend";
  } else {
    line += fmt::format("{} of {} {}, in {}", Thousands(totals.mended), Counted(totals.findings, "location"),
                        Writes(options) ? "mended" : "can be mended", Counted(totals.with_findings, "session"));
  }
  line += SecretTotals(totals, options);
  context.out.Write(line + "\n");
}

// A problem may come after the session was examined or written.
std::string_view NotDone(const SessionReport& session) {
  if (session.digest.empty()) return "not examined: ";
  return session.passes.empty() || !session.written.empty() ? "" : "not written: ";
}

}  // namespace

void PrintDoctorProblems(Context& context, const DoctorReport& report) {
  for (const std::string& problem : report.problems) context.messages.Warn(problem);
  for (const std::string& note : report.notes) context.messages.Note(note);
  for (const SessionReport& session : report.sessions) {
    if (session.problem) {
      context.messages.Warn(fmt::format("{}: {}{}", NameOf(session), NotDone(session), session.problem->message));
    }
  }
}

void PrintDoctorReport(Context& context, const DoctorReport& report, const DoctorOptions& options) {
  PrintDoctorProblems(context, report);
  if (context.globals.json) return PrintJson(context.out, report, options);
  Totals totals;
  for (const SessionReport& session : report.sessions) {
    PrintSession(context, session, options);
    totals.Add(session, options);
  }
  PrintIndexes(context.out, report.indexes);
  PrintSurroundings(context, report.surroundings, options);
  for (const SurroundingReport& some : report.surroundings) totals.Add(some);
  PrintRequirements(context, report);
  if (!context.globals.quiet && totals.sessions > 0) PrintTotals(context, totals, options);
}

}  // namespace turnlog
