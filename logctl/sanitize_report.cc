#include "logctl/sanitize_report.h"

#include <fmt/format.h>

#include "logctl/json_document.h"
#include "logctl/text.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

bool Moves(const Insert& insert) { return !insert.event; }

// A move drops the event at its old position; the report lists only the move.
bool IsOfAMove(const Drop& drop) { return drop.why.rule == RepairRule::kMovedToolResult; }

std::string_view ToString(RepairAction action) {
  switch (action) {
    case RepairAction::kDrop:
      return "drop";
    case RepairAction::kInsert:
      return "insert";
    case RepairAction::kMove:
      return "move";
  }
  return "";
}

class JsonReport : public SanitizeReport {
 public:
  JsonReport(Output& out, RepairProfile profile, bool apply) : json_(out) {
    json_.Field("profile", ToString(profile));
    json_.Field("dry_run", !apply);
    json_.Array("conversations");
  }

  void Add(const ConversationId& conversation, const SanitizeOutcome& outcome) override {
    const SanitizePlan& plan = outcome.plan;
    if (plan.empty() && plan.add.notes.empty()) return;
    json_.Object();
    json_.Field("id", conversation.text());
    json_.Field("head", plan.add.head);
    json_.Array("repairs");
    for (const Seq seq : outcome.repairs) json_.RawElement(std::to_string(seq.value));
    json_.EndArray();
    AddDrops(plan.add);
    AddInserts(plan.add);
    AddRetracts(plan);
    json_.Array("notes");
    for (const Finding& note : plan.add.notes) {
      json_.Object();
      AddFinding(note);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void AddFailed(const ConversationId& conversation, const Error& why) override {
    json_.Object();
    json_.Field("id", conversation.text());
    json_.Field("error", why.message);
    json_.EndObject();
  }

  void Finish(const SanitizeTotals& totals) override {
    json_.EndArray();
    json_.Field("conversations_checked", totals.checked);
    json_.Field("conversations_changed", totals.changed);
    json_.Field("conversations_failed", totals.failed);
    json_.Field("events_read", totals.events_read);
    json_.Field("retracted", totals.retracted);
    json_.Field("left_open", totals.open);
    json_.Object("rules");
    for (const auto& [rule, count] : totals.rules) json_.Field(rule, count);
    json_.EndObject();
  }

 private:
  void AddDrops(const RepairPlan& plan) {
    json_.Array("drops");
    for (const Drop& drop : plan.drops) {
      json_.Object();
      AddFinding(drop.why);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void AddInserts(const RepairPlan& plan) {
    json_.Array("inserts");
    for (const Insert& insert : plan.inserts) {
      json_.Object();
      json_.Field("after", insert.after);
      AddFinding(insert.why);
      json_.Field("moved", Moves(insert));
      if (insert.event) json_.Raw("event", ToJson(View(*insert.event)));
      json_.EndObject();
    }
    json_.EndArray();
  }

  void AddRetracts(const SanitizePlan& plan) {
    json_.Array("retracts");
    for (const RepairTarget& target : plan.retract) {
      json_.Object();
      json_.Field("action", ToString(target.action));
      json_.Field("anchor", target.anchor);
      json_.Field("cause", target.cause);
      json_.Field("rule", target.rule);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void AddFinding(const Finding& finding) {
    json_.Field("rule", ToString(finding.rule));
    json_.Field("seq", finding.seq);
    json_.Field("kind", ToString(finding.kind));
    if (!finding.id.empty()) json_.Field("id", finding.id);
  }

  JsonDocument json_;
};

// Applied: a line for each conversation that was changed. Otherwise: each change.
class TextReport : public SanitizeReport {
 public:
  TextReport(Output& out, bool apply) : out_(out), apply_(apply) {}

  void Add(const ConversationId& conversation, const SanitizeOutcome& outcome) override {
    const RepairPlan& plan = outcome.plan.add;
    if (outcome.plan.empty() && plan.notes.empty()) return;
    if (apply_ && outcome.repairs.empty()) return;
    out_.Write(out_.Paint(Style::kBold, Printable(conversation.text())));
    if (apply_) return out_.Write("  " + Summary(outcome) + "\n");
    out_.Write(fmt::format("  up to event {}\n", plan.head.value));
    for (const Drop& drop : plan.drops) {
      if (!IsOfAMove(drop)) Line("drop", fmt::format("event {}", drop.why.seq.value), drop.why, drop.why.kind);
    }
    for (const Insert& insert : plan.inserts) {
      Line(Moves(insert) ? "move" : "insert", After(insert.after), insert.why,
           Moves(insert) ? insert.why.kind : insert.event->kind());
    }
    for (const RepairTarget& target : outcome.plan.retract) {
      out_.Write(
          fmt::format("  {}  {}  {}\n", PadRight("retract", 7),
                      PadRight(target.action == RepairAction::kDrop ? fmt::format("event {}", target.anchor.value)
                                                                    : After(target.anchor),
                               12),
                      Printable(target.rule)));
    }
    for (const Finding& note : plan.notes) Line("note", fmt::format("event {}", note.seq.value), note, note.kind);
  }

  void AddFailed(const ConversationId&, const Error&) override {}

  void Finish(const SanitizeTotals& totals) override {
    for (const auto& [rule, count] : totals.rules) {
      out_.Write(fmt::format("{}  {}\n", PadLeft(Thousands(count), 8), rule));
    }
    if (totals.retracted > 0) out_.Write(fmt::format("{}  retracted\n", PadLeft(Thousands(totals.retracted), 8)));
    out_.Write(totals.changed == 0
                   ? fmt::format("{} checked: nothing to repair\n", Counted(totals.checked, "conversation"))
                   : fmt::format("{} of {} {}\n", Thousands(totals.changed), Counted(totals.checked, "conversation"),
                                 apply_ ? "repaired" : "would change; nothing was written"));
    if (totals.open > 0) {
      out_.Write(fmt::format("{} left alone in incomplete turns; --close-open repairs them too\n",
                             Counted(totals.open, "problem")));
    }
  }

 private:
  static std::string After(Seq seq) { return seq.value == 0 ? "first" : fmt::format("after {}", seq.value); }

  static std::string Summary(const SanitizeOutcome& outcome) {
    std::uint64_t drops = 0, inserts = 0, moves = 0;
    for (const Drop& drop : outcome.plan.add.drops) drops += IsOfAMove(drop) ? 0 : 1;
    for (const Insert& insert : outcome.plan.add.inserts) ++(Moves(insert) ? moves : inserts);
    std::string text;
    const auto add = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", Thousands(count), what);
    };
    add(drops, "dropped");
    add(inserts, "inserted");
    add(moves, "moved");
    add(outcome.plan.retract.size(), "retracted");
    return text + fmt::format("  (event {})", outcome.repairs.front().value);
  }

  void Line(std::string_view verb, const std::string& anchor, const Finding& why, EventKind kind) {
    out_.Write(fmt::format("  {}  {}  {}  {}{}{}\n", PadRight(std::string(verb), 7), PadRight(anchor, 12),
                           PadRight(std::string(ToString(why.rule)), 24), PadRight(std::string(ToString(kind)), 18),
                           why.id.empty() ? "" : "  ", Printable(why.id)));
  }

  Output& out_;
  const bool apply_;
};

}  // namespace

void SanitizeTotals::Add(const SanitizePlan& plan) {
  ++checked;
  if (!plan.empty()) ++changed;
  events_read += plan.events_read;
  retracted += plan.retract.size();
  open += plan.open;
  for (const Drop& drop : plan.add.drops) {
    if (!IsOfAMove(drop)) ++rules[ToString(drop.why.rule)];
  }
  for (const Insert& insert : plan.add.inserts) ++rules[ToString(insert.why.rule)];
}

std::unique_ptr<SanitizeReport> SanitizeReportAsJson(Output& out, RepairProfile profile, bool apply) {
  return std::make_unique<JsonReport>(out, profile, apply);
}

std::unique_ptr<SanitizeReport> SanitizeReportAsText(Output& out, bool apply) {
  return std::make_unique<TextReport>(out, apply);
}

}  // namespace turnlog
