// Executes a plan. First removes the hashes of arguments that will change, then all other occurrences of each value, in
// all conversations, then redacts the source events: after an interruption, the next run finds the remaining values in
// the source events. A conversation whose values occur nowhere else is redacted in one step, if it is small enough.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/try.h"
#include "sanitize/redaction/redaction_record.h"
#include "sanitize/redaction/redaction_state.h"
#include "sanitize/repair/guarded_append.h"
#include "schema/event/import_event.h"

namespace turnlog {
namespace {

using Extent = RedactionState::Extent;

constexpr std::uint64_t kBatchBytes = std::uint64_t{32} << 20;
constexpr int kAttempts = 100;  // see AppendGuarded

// The replacements of one Log::Redact.
class Batch {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() { Clear(); }

  void Add(Seq seq, Event event, std::uint64_t bytes, std::vector<std::string> rules) {
    events_.emplace(seq, Entry{std::move(event), std::move(rules)});
    bytes_ += bytes;
  }

  bool empty() const { return events_.empty(); }
  bool full() const { return bytes_ >= kBatchBytes; }

  std::vector<Replacement> Replacements() const {
    std::vector<Replacement> replacements;
    replacements.reserve(events_.size());
    for (const auto& [seq, entry] : events_) replacements.push_back({seq, View(entry.event)});
    return replacements;
  }

  std::map<std::string, std::set<Seq>> Rules() const {
    std::map<std::string, std::set<Seq>> rules;
    for (const auto& [seq, entry] : events_) {
      for (const std::string& rule : entry.rules) rules[rule].insert(seq);
    }
    return rules;
  }

  void Clear() {
    for (auto& [seq, entry] : events_) WipeTexts(entry.event);  // a source event may still contain its value
    events_.clear();
    bytes_ = 0;
  }

 private:
  struct Entry {
    Event event;
    std::vector<std::string> rules;
  };
  std::map<Seq, Entry> events_;
  std::uint64_t bytes_ = 0;
};

class Applier {
 public:
  Applier(RedactionState& state, std::string_view by, const Progress& progress)
      : state_(state), by_(by), progress_(progress), total_(state.plan.events()) {}

  Status Run() {
    for (PlannedConversation& conversation : state_.conversations) {
      TURNLOG_TRY(ApplyTo(conversation, WithHashes(conversation), Extent::kForeign));
    }
    std::vector<PlannedConversation*> later;
    for (PlannedConversation& conversation : state_.conversations) {
      const bool occurs_elsewhere = IsSpread(conversation);
      if (!occurs_elsewhere && IsSmall(conversation)) {
        TURNLOG_TRY(ApplyTo(conversation, conversation.events, Extent::kAll));
        continue;
      }
      TURNLOG_TRY(ApplyTo(conversation, ForeignOccurrences(conversation), Extent::kForeign));
      if (occurs_elsewhere) {
        later.push_back(&conversation);
      } else {
        TURNLOG_TRY(ApplyTo(conversation, Sources(conversation), Extent::kAll));
      }
    }
    for (PlannedConversation* conversation : later) {
      TURNLOG_TRY(ApplyTo(*conversation, Sources(*conversation), Extent::kAll));
    }
    return {};
  }

 private:
  bool IsSpread(const PlannedConversation& conversation) const {
    return std::ranges::any_of(conversation.events, [&](const PlannedEvent& event) {
      return std::ranges::any_of(event.source.values, [&](ValueNumber value) { return state_.spread.contains(value); });
    });
  }

  static bool IsSmall(const PlannedConversation& conversation) {
    std::uint64_t bytes = 0;
    for (const PlannedEvent& event : conversation.events) bytes += event.bytes;
    return bytes < kBatchBytes;
  }

  std::vector<PlannedEvent> WithHashes(const PlannedConversation& conversation) const {
    std::vector<PlannedEvent> events;
    std::ranges::copy_if(conversation.events, std::back_inserter(events),
                         [&](const PlannedEvent& event) { return state_.HasHash(event); });
    return events;
  }

  // Fingerprints first: once an event has changed, they must be gone.
  static std::vector<PlannedEvent> ForeignOccurrences(const PlannedConversation& conversation) {
    std::vector<PlannedEvent> occurrences;
    for (const bool fingerprint : {true, false}) {
      std::ranges::copy_if(conversation.events, std::back_inserter(occurrences), [&](const PlannedEvent& event) {
        return event.fingerprint == fingerprint && (fingerprint || !event.is_source() || event.has_foreign());
      });
    }
    return occurrences;
  }

  static std::vector<PlannedEvent> Sources(const PlannedConversation& conversation) {
    std::vector<PlannedEvent> sources;
    std::ranges::copy_if(conversation.events, std::back_inserter(sources), &PlannedEvent::is_source);
    return sources;
  }

  Status ApplyTo(PlannedConversation& conversation, const std::vector<PlannedEvent>& events, Extent extent) {
    Batch batch;
    if (!events.empty()) TURNLOG_TRY(ForgetSource(conversation.id));
    for (const PlannedEvent& event : events) {
      TURNLOG_TRY(Take(conversation, event, event.is_source() ? extent : Extent::kAll, batch));
      if (batch.full()) TURNLOG_TRY(Redact(conversation, batch));
    }
    return batch.empty() ? Status() : Redact(conversation, batch);
  }

  // What an import remembers of the conversation's source is hashes of what is redacted, as a fingerprint is. Without
  // their key they say nothing: it is gone from the disk before anything is overwritten.
  Status ForgetSource(const ConversationId& id) {
    bool forgets = false;
    for (const ConversationId& each : {id, ConversationId::Parse(kImportKey).value()}) {
      const auto known = TURNLOG_TRY(state_.log.FindWatermark(kImportConsumer, each));
      if (!known) continue;
      TURNLOG_TRY(state_.log.SetWatermark(kImportConsumer, each, {}));
      forgets = true;
    }
    if (!forgets || is_forgotten_) return {};
    TURNLOG_TRY(state_.log.Checkpoint());
    is_forgotten_ = true;
    return {};
  }

  Status Take(const PlannedConversation& conversation, const PlannedEvent& event, Extent extent, Batch& batch) {
    const auto cursor = TURNLOG_TRY(state_.log.ReadRaw(conversation.id, {.from = event.seq, .limit = 1}));
    const Item item = TURNLOG_TRY(cursor->Next());
    if (const auto* record = std::get_if<Record>(&item)) TURNLOG_TRY(TakeRecord(event, *record, extent, batch));
    ++done_;
    if (progress_) progress_(std::min(done_, total_), total_);
    return {};
  }

  Status TakeRecord(const PlannedEvent& event, const Record& record, Extent extent, Batch& batch) {
    const RewrittenEvent rewritten = TURNLOG_TRY(state_.Rewrite(event, record, extent));
    if (!rewritten.changed) return {};
    batch.Add(event.seq, Own(rewritten.event), event.bytes, state_.values.RuleNames(state_.RulesOf(event, extent)));
    return {};
  }

  Status Redact(PlannedConversation& conversation, Batch& batch) {
    for (int attempt = 1;; ++attempt) {
      const Event record = TURNLOG_TRY(MakeRecord(batch));
      const auto report =
          state_.log.Redact(conversation.id, batch.Replacements(), View(record), {.expected_last = conversation.seen});
      if (report) {
        conversation.seen = report->redaction;
        Report(conversation, batch, report->redaction);
        batch.Clear();
        return {};
      }
      if (report.error().code != ErrorCode::kConflict || attempt == kAttempts) return std::unexpected(report.error());
      TURNLOG_TRY(LookAtNew(conversation, batch));
    }
  }

  // `by` may contain a value, too.
  Result<Event> MakeRecord(const Batch& batch) const {
    const Event event = MakeRedactionEvent(Now(), std::string(by_), batch.Rules());
    const PlannedEvent nothing{.seq = {}, .source = {}, .found = {}};
    const RewrittenEvent rewritten = TURNLOG_TRY(state_.Rewrite(nothing, View(event), Extent::kAll));
    return Own(rewritten.event);
  }

  // Redacts events appended since the conversation was read.
  Status LookAtNew(PlannedConversation& conversation, Batch& batch) {
    const Seq from{conversation.seen.value + 1};
    const auto cursor = TURNLOG_TRY(state_.log.ReadRaw(conversation.id, {.from = from}));
    for (;;) {
      const Item item = TURNLOG_TRY(cursor->Next());
      if (std::holds_alternative<EndOfLog>(item)) return {};
      if (const auto* erased = std::get_if<Erased>(&item)) conversation.seen = erased->seq;
      if (const auto* damage = std::get_if<Damage>(&item)) {
        return std::unexpected(Error{ErrorCode::kCorruption, ToString(*damage)});
      }
      const auto* record = std::get_if<Record>(&item);
      if (record == nullptr) continue;
      conversation.seen = record->seq;
      const PlannedEvent event = state_.Look(*record);
      if (!event.found.empty()) TURNLOG_TRY(TakeRecord(event, *record, Extent::kAll, batch));
    }
  }

  void Report(const PlannedConversation& conversation, const Batch& batch, Seq redaction) {
    const auto [entry, is_new] = done_in_.emplace(conversation.id, state_.done.size());
    if (is_new) state_.done.push_back({state_.Shown(conversation.id.text()), {}, {}});
    RedactedConversation& done = state_.done[entry->second];
    done.redactions.push_back(redaction);
    std::map<Seq, std::set<std::string>> events;
    for (const RedactedEvent& event : done.events) events[event.seq].insert(event.rules.begin(), event.rules.end());
    for (const auto& [rule, seqs] : batch.Rules()) {
      for (const Seq seq : seqs) events[seq].insert(rule);
    }
    done.events.clear();
    for (const auto& [seq, rules] : events) done.events.push_back({seq, {rules.begin(), rules.end()}});
  }

  RedactionState& state_;
  const std::string_view by_;
  const Progress& progress_;
  std::map<ConversationId, std::size_t> done_in_;  // indexes into RedactionState::done
  bool is_forgotten_ = false;                      // the key, durably
  std::uint64_t done_ = 0;
  const std::uint64_t total_;
};

}  // namespace

Status Redaction::Apply(std::string_view by, const Progress& progress) {
  Status status = Applier(*state_, by, progress).Run();
  if (!status) return std::unexpected(state_->Shown(std::move(status).error()));
  return status;
}

}  // namespace turnlog
