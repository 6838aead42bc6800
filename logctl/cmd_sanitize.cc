#include <fmt/format.h>

#include <map>
#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/event_json.h"
#include "turnlog/sanitize.h"

namespace turnlog {
namespace {

struct Words {
  std::vector<std::string> conversations;
  std::string profile = "strict";
  bool close_open = false;
  bool dry_run = false;
  bool check = false;
};

Expected<RepairOptions> OptionsOf(const Words& words) {
  if (!words.dry_run && !words.check) {
    return WrongUsage("this version only plans and repairs nothing", "say --dry-run");
  }
  const bool strict = words.profile == "strict";
  if (words.close_open && !strict) return WrongUsage("--close-open belongs to --profile strict");
  return RepairOptions{.profile = strict ? RepairProfile::kStrict : RepairProfile::kJp082,
                       .close_open = words.close_open};
}

struct Totals {
  std::uint64_t checked = 0, to_change = 0;
  std::uint64_t damaged = 0;  // could not be read, and are not among those checked
  std::map<std::string_view, std::uint64_t> rules;

  void Add(const RepairPlan& plan) {
    ++checked;
    if (!plan.empty()) ++to_change;
    for (const Drop& drop : plan.drops) ++rules[ToString(drop.why.rule)];
    for (const Insert& insert : plan.inserts) ++rules[ToString(insert.why.rule)];
  }
};

// One report of both forms: the conversations that would change as they are found, then the totals.
class Report {
 public:
  virtual ~Report() = default;
  virtual void Add(const std::string& conversation, const RepairPlan& plan) = 0;
  virtual void Finish(const Totals& totals) = 0;
};

class JsonReport : public Report {
 public:
  JsonReport(Output& out, const Words& words) : json_(out) {
    json_.Field("profile", words.profile);
    json_.Field("dry_run", true);
    json_.Array("conversations");
  }

  void Add(const std::string& conversation, const RepairPlan& plan) override {
    json_.Object();
    json_.Field("id", conversation);
    json_.Field("head", plan.head);
    json_.Array("drops");
    for (const Drop& drop : plan.drops) {
      json_.Object();
      Add(drop.why);
      json_.EndObject();
    }
    json_.EndArray();
    json_.Array("inserts");
    for (const Insert& insert : plan.inserts) {
      json_.Object();
      json_.Field("after", insert.after);
      Add(insert.why);
      json_.Raw("event", ToJson(View(insert.event)));
      json_.EndObject();
    }
    json_.EndArray();
    json_.Array("notes");
    for (const Finding& note : plan.notes) {
      json_.Object();
      Add(note);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void Finish(const Totals& totals) override {
    json_.EndArray();
    json_.Field("conversations_checked", totals.checked);
    json_.Field("conversations_to_change", totals.to_change);
    json_.Field("conversations_damaged", totals.damaged);
    json_.Object("rules");
    for (const auto& [rule, count] : totals.rules) json_.Field(rule, count);
    json_.EndObject();
  }

 private:
  void Add(const Finding& finding) {
    json_.Field("rule", ToString(finding.rule));
    json_.Field("seq", finding.seq);
    json_.Field("kind", ToString(finding.kind));
    if (!finding.id.empty()) json_.Field("id", finding.id);
  }

  JsonDocument json_;
};

class TextReport : public Report {
 public:
  explicit TextReport(Output& out) : out_(out) {}

  void Add(const std::string& conversation, const RepairPlan& plan) override {
    out_.Write(out_.Paint(Style::kBold, Printable(conversation)) + fmt::format("  up to event {}\n", plan.head.value));
    for (const Drop& drop : plan.drops)
      Line("drop", fmt::format("event {}", drop.why.seq.value), drop.why, drop.why.kind);
    for (const Insert& insert : plan.inserts) {
      Line("insert", insert.after.value == 0 ? "in front" : fmt::format("behind {}", insert.after.value), insert.why,
           insert.event.kind());
    }
    for (const Finding& note : plan.notes) Line("note", fmt::format("event {}", note.seq.value), note, note.kind);
  }

  void Finish(const Totals& totals) override {
    for (const auto& [rule, count] : totals.rules) {
      out_.Write(fmt::format("{}  {}\n", PadLeft(Thousands(count), 8), rule));
    }
    out_.Write(totals.to_change == 0
                   ? fmt::format("{} checked: nothing to repair\n", Counted(totals.checked, "conversation"))
                   : fmt::format("{} of {} would change; nothing has been written\n", Thousands(totals.to_change),
                                 Counted(totals.checked, "conversation")));
  }

 private:
  void Line(std::string_view verb, const std::string& place, const Finding& why, EventKind kind) {
    out_.Write(fmt::format("  {}  {}  {}  {}{}{}\n", PadRight(std::string(verb), 6), PadRight(place, 12),
                           PadRight(std::string(ToString(why.rule)), 24), PadRight(std::string(ToString(kind)), 18),
                           why.id.empty() ? "" : "  ", Printable(why.id)));
  }

  Output& out_;
};

// Plans all the conversations named, or all there are.
class Planner {
 public:
  Planner(Context& context, Log& log, const RepairOptions& options, Report& report)
      : context_(context), log_(log), options_(options), report_(report) {}

  Expected<void> Add(const ConversationId& id) {
    const auto plan = PlanRepair(log_, id, options_);
    if (!plan && plan.error().code == ErrorCode::kCorruption) {
      context_.messages.Report(plan.error());
      ++totals_.damaged;
      return {};
    }
    if (!plan) return std::unexpected(Failure(plan.error()));
    totals_.Add(*plan);
    if (!plan->empty() || !plan->notes.empty()) report_.Add(id.text(), *plan);
    return {};
  }

  Expected<void> AddAll() {
    const std::uint64_t total = TURNLOG_TRY(log_.Stats()).conversations;
    return ForEachPage(log_, [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
      for (const ConversationInfo& info : page) {
        const auto id = TURNLOG_TRY(ConversationId::Parse(info.id));
        TURNLOG_TRY(Add(id));
        context_.messages.Progress("planning", totals_.checked, total);
        if (context_.out.closed()) return false;
      }
      return true;
    });
  }

  const Totals& totals() const { return totals_; }

 private:
  Context& context_;
  Log& log_;
  const RepairOptions options_;
  Report& report_;
  Totals totals_;
};

Finished Run(Context& context, const Words& words) {
  const RepairOptions options = TURNLOG_TRY(OptionsOf(words));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const auto ids = TURNLOG_TRY(FindConversations(*log, words.conversations));
  std::unique_ptr<Report> report;
  if (context.globals.json) {
    report = std::make_unique<JsonReport>(context.out, words);
  } else {
    report = std::make_unique<TextReport>(context.out);
  }
  Planner planner(context, *log, options, *report);
  for (const ConversationId& id : ids) TURNLOG_TRY(planner.Add(id));
  if (ids.empty()) TURNLOG_TRY(planner.AddAll());
  context.messages.EndProgress();
  report->Finish(planner.totals());
  if (planner.totals().damaged > 0) return kFailed;
  return words.check && planner.totals().to_change > 0 ? kFound : kFine;
}

}  // namespace

Action DefineSanitize(CLI::App& app) {
  auto words = std::make_shared<Words>();
  AddTexts(app, "CONV", words->conversations, "The conversations; all if none is named");
  AddText(app, "--profile", words->profile, "The rules: strict or jp082", "NAME")
      ->check(CLI::IsMember({"strict", "jp082"}));
  app.add_flag("--close-open", words->close_open, "Repair the last turn too although an agent may be at work in it");
  app.add_flag("--dry-run", words->dry_run, "Only say what would change");
  app.add_flag("--check", words->check, "Likewise, and exit with 3 if anything would");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
