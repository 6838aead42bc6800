#include "service/maintenance.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/try.h"
#include "remote/forms.h"
#include "remote/redaction_form.h"
#include "schema/json/json_plain_fields.h"
#include "schema/json/json_writer.h"
#include "turnlog/sanitize/sanitize.h"
#include "turnlog/sanitize/sanitize_store.h"

namespace turnlog {
namespace {

constexpr std::size_t kListed = 1'000;  // entries of any list but those of a report; counts are of all
constexpr std::size_t kPage = 1'000;

template <typename T>
void ListFirst(JsonWriter& json, std::string_view name, const std::vector<T>& all, const auto& write,
               std::size_t most = kListed) {
  json.Key(name), json.StartArray();
  for (const T& each : std::span(all).first(std::min(all.size(), most))) write(each);
  json.EndArray();
}

// As "NOUNs" and "NOUN_count".
void ListSeqs(JsonWriter& json, const std::string& noun, const std::vector<Seq>& seqs, std::size_t most = kListed) {
  NumberField(json, noun + "_count", seqs.size());
  ListFirst(json, noun + "s", seqs, [&](Seq seq) { json.Unsigned(seq.value); }, most);
}

// The parts of a result that are lists of conversations: those with changes, and those that failed.
class ConversationLists {
 public:
  // `most`: entries of any list.
  explicit ConversationLists(std::size_t most = kListed) : most_(most) {}

  void AddChanged(std::string_view id, const std::string& noun, const std::vector<Seq>& seqs,
                  std::optional<std::uint64_t> bytes = {}) {
    if (changed_++ >= most_) return;
    JsonWriter json(Next(changed_list_));
    json.StartObject();
    json.Field("id", id);
    if (bytes) NumberField(json, "bytes", *bytes);
    ListSeqs(json, noun, seqs, most_);
    json.EndObject();
  }
  void AddFailed(std::string_view id, const Error& error) {
    if (failed_++ >= most_) return;
    JsonWriter json(Next(failed_list_));
    json.StartObject();
    json.Field("id", id);
    json.Field("code", ToString(error.code));
    json.Field("detail", error.message);
    json.EndObject();
  }
  void Write(JsonWriter& json) const {
    NumberField(json, "changed", changed_);
    NumberField(json, "failed", failed_);
    json.Key("conversations"), json.Value() += "[" + changed_list_ + "]";
    json.Key("failures"), json.Value() += "[" + failed_list_ + "]";
  }

 private:
  static std::string& Next(std::string& list) { return list.empty() ? list : list += ','; }

  const std::size_t most_;
  std::uint64_t changed_ = 0, failed_ = 0;
  std::string changed_list_, failed_list_;  // JSON, without brackets
};

Result<std::string> SanitizeAll(Log& log, const JobBody& body, JobControl& control) {
  const bool named = !body.conversations.empty();
  const std::uint64_t total = named ? body.conversations.size() : TURNLOG_TRY(log.Stats()).conversations;
  std::uint64_t begun = 0, checked = 0, drops = 0, inserts = 0, retracted = 0, notes = 0;
  const auto stop = [&] {
    if (control.cancelled()) return true;
    control.Advance(begun++, total);  // outcomes come only after a page
    return false;
  };
  const StorePass pass{.options = {.profile = body.profile == "strict" ? RepairProfile::kStrict : RepairProfile::kJp082,
                                   .close_open = body.close_open},
                       .apply = !body.dry_run,
                       .unchanged = body.all || body.close_open,
                       .stop = stop};
  ConversationLists lists;
  const auto on_sanitized = [&](const ConversationId& id, const Result<SanitizeOutcome>& outcome) {
    ++checked;
    if (!outcome) {
      lists.AddFailed(id.text(), outcome.error());
      return true;
    }
    drops += outcome->plan.add.drops.size();
    inserts += outcome->plan.add.inserts.size();
    retracted += outcome->plan.retract.size();
    notes += outcome->plan.add.notes.size();
    if (!outcome->plan.empty()) lists.AddChanged(id.text(), "repair", outcome->repairs);
    return true;
  };
  if (named) {
    SanitizeConversations(log, body.conversations, pass, on_sanitized);
  } else {
    TURNLOG_TRY(SanitizeStore(log, pass, on_sanitized));
  }
  control.Advance(checked, total);
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("dry_run"), json.Bool(body.dry_run);
  NumberField(json, "checked", checked);
  NumberField(json, "drops", drops);
  NumberField(json, "inserts", inserts);
  NumberField(json, "retracted", retracted);
  NumberField(json, "notes", notes);
  lists.Write(json);
  json.EndObject();
  return text;
}

class Scavenger {
 public:
  Scavenger(Log& log, const JobBody& body, JobControl& control) : log_(log), body_(body), control_(control) {}

  Result<std::string> Run() {
    total_ = body_.conversations.size();
    for (const ConversationId& id : body_.conversations) {
      if (!Add(id)) break;
    }
    if (body_.conversations.empty()) TURNLOG_TRY(AddChanged());
    std::string text;
    JsonWriter json(text);
    json.StartObject();
    json.Key("dry_run"), json.Bool(body_.dry_run);
    NumberField(json, "checked", checked_);
    NumberField(json, "events", events_);
    NumberField(json, "bytes", bytes_);
    lists_.Write(json);
    json.EndObject();
    return text;
  }

 private:
  Status AddChanged() {
    total_ = TURNLOG_TRY(log_.Stats()).conversations;
    for (std::string after;;) {
      const auto page = TURNLOG_TRY(log_.ListChanged(kScavengeConsumer, after, kPage, Changes::kRepaired));
      if (page.empty()) return {};
      for (const ConversationInfo& info : page) {
        if (!Add(TURNLOG_TRY(ConversationId::Parse(info.id)))) return {};
      }
      after = page.back().id;
    }
  }

  // False: the job is cancelled, and this conversation was not looked at.
  bool Add(const ConversationId& id) {
    if (control_.cancelled()) return false;
    Count(id, Scavenge(log_, id, body_.dry_run));
    control_.Advance(++checked_, total_);
    return true;
  }

  void Count(const ConversationId& id, const Result<ScavengeOutcome>& outcome) {
    if (!outcome) return lists_.AddFailed(id.text(), outcome.error());
    events_ += outcome->events.size();
    bytes_ += outcome->bytes;
    if (!outcome->events.empty()) lists_.AddChanged(id.text(), "event", outcome->events, outcome->bytes);
  }

  Log& log_;
  const JobBody& body_;
  JobControl& control_;
  std::uint64_t total_ = 0, checked_ = 0, events_ = 0, bytes_ = 0;
  ConversationLists lists_{body_.report ? SIZE_MAX : kListed};
};

void WriteRedacted(JsonWriter& json, const std::vector<RedactedConversation>& conversations) {
  ListFirst(json, "conversations", conversations, [&](const RedactedConversation& each) {
    std::vector<Seq> events;
    for (const RedactedEvent& event : each.events) events.push_back(event.seq);
    json.StartObject();
    json.Field("id", each.id);
    ListSeqs(json, "event", events);
    ListSeqs(json, "redaction", each.redactions);
    json.EndObject();
  });
}

bool IsGiven(const UnsearchedValue& value) { return value.conversation.empty(); }

// Given values by their index in the body; what was found in events by where: all but the value. Given ones are first.
void WriteUnsearched(JsonWriter& json, const std::vector<UnsearchedValue>& values) {
  ListFirst(json, "unsearched_values", values, [&](const UnsearchedValue& value) {
    json.StartObject();
    if (IsGiven(value)) {
      NumberField(json, "index", value.index);
    } else {
      json.Field("conversation", value.conversation);
      NumberField(json, "seq", value.seq.value);
    }
    json.Field("rule", value.rule);
    json.Field("reason", value.reason);
    json.EndObject();
  });
}

// `is_done`: what is planned is also carried out, or was only asked for as a plan.
void WritePlan(JsonWriter& json, const RedactionPlan& plan, bool is_done) {
  NumberField(json, "values", plan.values);
  NumberField(json, "events", is_done ? plan.events() : 0);
  NumberField(json, "changed", is_done ? plan.conversations.size() : 0);
  NumberField(json, "kept", plan.kept.size());
  NumberField(json, "unsearched", plan.unsearched.size());
  WriteUnsearched(json, plan.unsearched);
  NumberField(json, "damaged", plan.damage.size());
}

void WriteProof(JsonWriter& json, const RedactionPlan& plan, const RedactionProof& proof) {
  json.Key("clean"), json.Bool(proof.clean() && plan.complete());
  NumberField(json, "searched_files", proof.files);
  NumberField(json, "searched_bytes", proof.bytes);
  NumberField(json, "left", proof.left_count);
  NumberField(json, "problem_count", proof.problems.size());
  ListFirst(json, "problems", proof.problems, [&](const std::string& problem) { json.String(problem); });
}

RedactionTargets TargetsOf(const JobBody& body) {
  RedactionTargets targets{.secrets = body.secrets,
                           .inquiries = body.inquiries,
                           .values = {},
                           .detect = body.detect,
                           .rules = body.rules_file,
                           .rules_text = body.rules_text,
                           .only_new = !body.all,
                           .accepted = body.accepted,
                           .jobs = std::max(1U, std::thread::hardware_concurrency() / 2)};  // others are served, too
  for (const SecretString& value : body.values) targets.values.push_back(value.view());
  return targets;
}

std::string_view ActorOf(const JobBody& body) { return body.by.empty() ? "service" : std::string_view(body.by); }

// Everything that a client prints of it.
Result<std::string> ReportRedaction(Redaction& redaction, const JobBody& body, JobControl& control) {
  if (body.dry_run || control.cancelled()) return ToJson(redaction.plan(), nullptr);
  control.SetResultOfFailure(ToJson(redaction.plan(), nullptr));
  TURNLOG_TRY(redaction.Apply(ActorOf(body), control.progress()));
  const RedactionProof proof = TURNLOG_TRY(redaction.Prove(control.progress()));
  return ToJson(redaction.plan(), &proof);
}

Result<std::string> RedactAll(Log& log, const JobBody& body, JobControl& control) {
  const auto redaction = TURNLOG_TRY(Redaction::Plan(log, TargetsOf(body), control.progress()));
  if (body.report) return ReportRedaction(*redaction, body, control);
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("dry_run"), json.Bool(body.dry_run);
  const bool stopped = !body.dry_run && control.cancelled();
  WritePlan(json, redaction->plan(), !stopped);
  if (stopped) {
    WriteRedacted(json, {});
  } else if (body.dry_run) {
    WriteRedacted(json, redaction->plan().conversations);
  } else {
    TURNLOG_TRY(redaction->Apply(ActorOf(body), control.progress()));
    const RedactionProof proof = TURNLOG_TRY(redaction->Prove(control.progress()));
    WriteRedacted(json, proof.conversations);
    WriteProof(json, redaction->plan(), proof);
  }
  json.EndObject();
  return text;
}

Result<std::string> VerifyAll(const FileJobs& files, JobControl& control) {
  const VerifyReport report = TURNLOG_TRY(files.verify(control.progress()));
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("clean"), json.Bool(report.clean());
  NumberField(json, "segments", report.segments);
  NumberField(json, "bytes", report.bytes);
  NumberField(json, "records", report.records);
  NumberField(json, "events", report.events);
  NumberField(json, "conversations", report.conversations);
  NumberField(json, "damage_count", report.damage_count);
  ListFirst(json, "damage", report.damage, [&](const Damage& damage) { json.String(ToString(damage)); });
  NumberField(json, "index_entries", report.index_entries);
  NumberField(json, "index_difference_count", report.index_difference_count);
  ListFirst(json, "index_differences", report.index_differences,
            [&](const std::string& difference) { json.String(difference); });
  json.EndObject();
  return text;
}

// As `logctl stats --json`. The index keeps the counts, so there is one step.
Result<std::string> CountAll(Log& log, JobControl& control) {
  control.Advance(0, 1);
  const StoreStats stats = TURNLOG_TRY(log.Stats());
  control.Advance(1, 1);
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  WriteStats(stats, json);
  for (const StoreFigure& figure : stats.figures) NumberField(json, figure.name, figure.value);
  json.EndObject();
  return text;
}

Result<std::string> ReindexAll(const FileJobs& files, JobControl& control) {
  const bool whole =
      TURNLOG_TRY(files.reindex({.progress = control.progress(), .stop = [&] { return control.cancelled(); }}));
  return whole ? R"({"reindexed":true})" : R"({"reindexed":false})";
}

Result<Jobs::Work> FileWork(const auto& needed, const FileJobs& files, const auto& work) {
  if (!needed) return std::unexpected(Error{ErrorCode::kUnsupported, "this store has no files of its own"});
  return [files, work](JobControl& control) { return work(files, control); };
}

Result<std::string> Do(Log& log, const JobBody& body, JobControl& control) {
  if (body.kind == "sanitize") return SanitizeAll(log, body, control);
  if (body.kind == "stats") return CountAll(log, control);
  if (body.kind == "scavenge") return Scavenger(log, body, control).Run();
  return RedactAll(log, body, control);
}

}  // namespace

Result<Jobs::Work> WorkOf(Log& log, const FileJobs& files, JobBody body) {
  if (body.kind == "verify") return FileWork(files.verify, files, VerifyAll);
  if (body.kind == "reindex") return FileWork(files.reindex, files, ReindexAll);
  // Shared, because the work is copied: there must be one copy of the values, which is wiped.
  return [&log, shared = std::make_shared<const JobBody>(std::move(body))](JobControl& control) {
    return Do(log, *shared, control);
  };
}

}  // namespace turnlog
