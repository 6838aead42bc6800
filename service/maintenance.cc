#include "service/maintenance.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/try.h"
#include "remote/problem.h"
#include "schema/json/json_writer.h"
#include "turnlog/sanitize/sanitize.h"
#include "turnlog/sanitize/sanitize_store.h"

namespace turnlog {
namespace {

constexpr std::size_t kListed = 1'000;  // conversations and findings; counts are of all
constexpr std::size_t kPage = 1'000;

void Number(JsonWriter& json, std::string_view name, std::uint64_t number) { json.Key(name), json.Unsigned(number); }

void Numbers(JsonWriter& json, std::string_view name, std::span<const Seq> seqs) {
  json.Key(name), json.StartArray();
  for (const Seq seq : seqs) json.Unsigned(seq.value);
  json.EndArray();
}

// The parts of a result that are lists of conversations: those with changes, and those that failed.
class ConversationLists {
 public:
  void AddChanged(std::string_view id, std::string_view name, std::span<const Seq> seqs) {
    if (changed_++ >= kListed) return;
    JsonWriter json(Next(changed_list_));
    json.StartObject();
    json.Field("id", id);
    Numbers(json, name, seqs);
    json.EndObject();
  }
  void AddFailed(std::string_view id, const Error& error) {
    if (failed_++ >= kListed) return;
    JsonWriter json(Next(failed_list_));
    json.StartObject();
    json.Field("id", id);
    json.Field("code", ToString(error.code));
    json.Field("detail", error.message);
    json.EndObject();
  }
  void Write(JsonWriter& json) const {
    Number(json, "changed", changed_);
    Number(json, "failed", failed_);
    json.Key("conversations"), json.Value() += "[" + changed_list_ + "]";
    json.Key("failures"), json.Value() += "[" + failed_list_ + "]";
  }

 private:
  static std::string& Next(std::string& list) { return list.empty() ? list : list += ','; }

  std::uint64_t changed_ = 0, failed_ = 0;
  std::string changed_list_, failed_list_;  // JSON, without brackets
};

Result<std::string> SanitizeAll(Log& log, const JobBody& body, JobControl& control) {
  const StorePass pass{.options = {.profile = body.profile == "strict" ? RepairProfile::kStrict : RepairProfile::kJp082,
                                   .close_open = body.close_open},
                       .apply = !body.dry_run,
                       .unchanged = body.all || body.close_open};
  const bool named = !body.conversations.empty();
  const std::uint64_t total = named ? body.conversations.size() : TURNLOG_TRY(log.Stats()).conversations;
  std::uint64_t checked = 0, drops = 0, inserts = 0, retracted = 0, notes = 0;
  ConversationLists lists;
  const auto on_sanitized = [&](const ConversationId& id, const Result<SanitizeOutcome>& outcome) {
    control.Advance(++checked, total);
    if (!outcome) {
      lists.AddFailed(id.text(), outcome.error());
      return !control.cancelled();
    }
    drops += outcome->plan.add.drops.size();
    inserts += outcome->plan.add.inserts.size();
    retracted += outcome->plan.retract.size();
    notes += outcome->plan.add.notes.size();
    if (!outcome->plan.empty()) lists.AddChanged(id.text(), "repairs", outcome->repairs);
    return !control.cancelled();
  };
  if (named) {
    SanitizeConversations(log, body.conversations, pass, on_sanitized);
  } else {
    TURNLOG_TRY(SanitizeStore(log, pass, on_sanitized));
  }
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("dry_run"), json.Bool(body.dry_run);
  Number(json, "checked", checked);
  Number(json, "drops", drops);
  Number(json, "inserts", inserts);
  Number(json, "retracted", retracted);
  Number(json, "notes", notes);
  lists.Write(json);
  json.EndObject();
  return text;
}

class Scavenger {
 public:
  Scavenger(Log& log, const JobBody& body, JobControl& control) : log_(log), body_(body), control_(control) {}

  Result<std::string> Run() {
    total_ = body_.conversations.size();
    for (const ConversationId& id : body_.conversations) Add(id);
    if (body_.conversations.empty()) TURNLOG_TRY(AddChanged());
    std::string text;
    JsonWriter json(text);
    json.StartObject();
    json.Key("dry_run"), json.Bool(body_.dry_run);
    Number(json, "checked", checked_);
    Number(json, "events", events_);
    Number(json, "bytes", bytes_);
    lists_.Write(json);
    json.EndObject();
    return text;
  }

 private:
  Status AddChanged() {
    total_ = TURNLOG_TRY(log_.Stats()).conversations;
    for (std::string after; !control_.cancelled();) {
      const auto page = TURNLOG_TRY(log_.ListChanged(kScavengeConsumer, after, kPage, Changes::kRepaired));
      if (page.empty()) return {};
      for (const ConversationInfo& info : page) Add(TURNLOG_TRY(ConversationId::Parse(info.id)));
      after = page.back().id;
    }
    return {};
  }

  void Add(const ConversationId& id) {
    if (control_.cancelled()) return;
    control_.Advance(++checked_, total_);
    const auto outcome = Scavenge(log_, id, body_.dry_run);
    if (!outcome) return lists_.AddFailed(id.text(), outcome.error());
    events_ += outcome->events.size();
    bytes_ += outcome->bytes;
    if (!outcome->events.empty()) lists_.AddChanged(id.text(), "events", outcome->events);
  }

  Log& log_;
  const JobBody& body_;
  JobControl& control_;
  std::uint64_t total_ = 0, checked_ = 0, events_ = 0, bytes_ = 0;
  ConversationLists lists_;
};

void WriteRedacted(JsonWriter& json, const std::vector<RedactedConversation>& conversations) {
  json.Key("conversations"), json.StartArray();
  for (const RedactedConversation& each : std::span(conversations).first(std::min(conversations.size(), kListed))) {
    std::vector<Seq> events;
    for (const RedactedEvent& event : each.events) events.push_back(event.seq);
    json.StartObject();
    json.Field("id", each.id);
    Numbers(json, "events", events);
    Numbers(json, "redactions", each.redactions);
    json.EndObject();
  }
  json.EndArray();
}

void WritePlan(JsonWriter& json, const RedactionPlan& plan) {
  Number(json, "values", plan.values);
  Number(json, "events", plan.events());
  Number(json, "changed", plan.conversations.size());
  Number(json, "kept", plan.kept.size());
  Number(json, "unsearched", plan.unsearched.size());
  Number(json, "damaged", plan.damage.size());
}

void WriteReceipt(JsonWriter& json, const RedactionReceipt& receipt) {
  json.Key("clean"), json.Bool(receipt.clean());
  Number(json, "searched_files", receipt.files);
  Number(json, "searched_bytes", receipt.bytes);
  Number(json, "left", receipt.left_count);
  json.Key("problems"), json.StartArray();
  for (const std::string& problem : receipt.problems) json.String(problem);
  json.EndArray();
}

Result<std::string> RedactAll(Log& log, const JobBody& body, JobControl& control) {
  RedactionTargets targets{.secrets = body.secrets,
                           .inquiries = body.inquiries,
                           .values = {},
                           .detect = body.detect,
                           .rules = {},
                           .only_new = !body.all,
                           .accepted = {}};
  for (const SecretString& value : body.values) targets.values.push_back(value.view());
  const auto redaction = TURNLOG_TRY(Redaction::Plan(log, targets, control.progress()));
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("dry_run"), json.Bool(body.dry_run);
  WritePlan(json, redaction->plan());
  if (body.dry_run || control.cancelled()) {
    WriteRedacted(json, redaction->plan().conversations);
  } else {
    TURNLOG_TRY(redaction->Apply(body.by.empty() ? "service" : body.by, control.progress()));
    const RedactionReceipt receipt = TURNLOG_TRY(redaction->Prove(control.progress()));
    WriteRedacted(json, receipt.conversations);
    WriteReceipt(json, receipt);
  }
  json.EndObject();
  return text;
}

Result<std::string> VerifyAll(const VerifyFn& verify, JobControl& control) {
  const VerifyReport report = TURNLOG_TRY(verify(control.progress()));
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("clean"), json.Bool(report.clean());
  Number(json, "segments", report.segments);
  Number(json, "bytes", report.bytes);
  Number(json, "records", report.records);
  Number(json, "events", report.events);
  Number(json, "conversations", report.conversations);
  Number(json, "damage_count", report.damage_count);
  json.Key("damage"), json.StartArray();
  for (const Damage& damage : report.damage) json.String(ToString(damage));
  json.EndArray();
  Number(json, "index_entries", report.index_entries);
  Number(json, "index_difference_count", report.index_difference_count);
  json.Key("index_differences"), json.StartArray();
  for (const std::string& difference : report.index_differences) json.String(difference);
  json.EndArray();
  json.EndObject();
  return text;
}

Result<std::string> Do(Log& log, const JobBody& body, JobControl& control) {
  if (body.kind == "sanitize") return SanitizeAll(log, body, control);
  if (body.kind == "scavenge") return Scavenger(log, body, control).Run();
  return RedactAll(log, body, control);
}

}  // namespace

Result<Jobs::Work> WorkOf(Log& log, const VerifyFn& verify, JobBody body) {
  if (body.kind == "verify") {
    if (!verify) return std::unexpected(Error{ErrorCode::kUnsupported, "this store has no files to be checked"});
    return [verify](JobControl& control) { return VerifyAll(verify, control); };
  }
  // Shared, because the work is copied: there must be one copy of the values, which is wiped.
  return [&log, shared = std::make_shared<const JobBody>(std::move(body))](JobControl& control) {
    return Do(log, *shared, control);
  };
}

}  // namespace turnlog
