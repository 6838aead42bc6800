#include "service/overview.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/try.h"
#include "schema/json/json_writer.h"
#include "service/event_field.h"
#include "service/newest_conversations.h"

namespace turnlog {
namespace {

constexpr std::size_t kPage = 1000;
constexpr std::size_t kNewest = 300;                    // conversations that are looked at, beside those that wait
constexpr std::size_t kInline = std::size_t{64} << 10;  // larger events are left to be read when they are shown
constexpr std::chrono::nanoseconds kQuiet = std::chrono::minutes(10);
constexpr std::chrono::nanoseconds kQuietBesideHooks = std::chrono::hours(2);

struct Entry {
  ConversationInfo info;
  TurnSummary summary;
  Attention attention;
};

bool IsSilentFor(const ConversationInfo& info, std::chrono::nanoseconds time, Timestamp now) {
  return info.last_time && now.nanos - info.last_time->nanos > time.count();
}

// An agent that was killed leaves its turn as it is: silence is the only sign of it. Hooks record nothing while their
// agent works without asking.
bool HasStopped(const ConversationInfo& info, const TurnSummary& summary, Timestamp now) {
  return IsSilentFor(info, summary.agent.empty() ? kQuiet : kQuietBesideHooks, now);
}

std::string_view GroupOf(const Entry& entry, Timestamp now) {
  if (!entry.summary.waiting.empty()) return "blocked";
  if (entry.summary.activity == Activity::kIdle) return entry.summary.failed ? "failed" : "finished";
  return HasStopped(entry.info, entry.summary, now) ? "failed" : "running";
}

// The newest conversations that have grown since they were seen.
Result<std::vector<ConversationInfo>> ListUnseen(Log& log) {
  return NewestConversations(kNewest, [&](std::string_view after) {
    return log.ListChanged(kAttentionConsumer, after, kPage, Changes::kAll);
  });
}

Status WriteInquiry(Log& log, const ConversationId& conversation, const WaitingInquiry& inquiry, JsonWriter& json) {
  json.StartObject();
  json.Field("id", inquiry.id);
  json.Key("seq"), json.Unsigned(inquiry.seq.value);
  if (inquiry.time) json.Field("timestamp", inquiry.time->ToRfc3339());
  json.Key("approval"), json.Bool(inquiry.approval);
  TURNLOG_TRY(WriteEventField(log, conversation, inquiry.seq, "request", json, kInline));
  if (inquiry.call.value != 0) {
    json.Key("call_seq"), json.Unsigned(inquiry.call.value);
    TURNLOG_TRY(WriteEventField(log, conversation, inquiry.call, "call", json, kInline));
  }
  json.EndObject();
  return {};
}

Status WriteEntry(Log& log, const Entry& entry, Timestamp now, JsonWriter& json) {
  const auto id = TURNLOG_TRY(ConversationId::Parse(entry.info.id));
  json.StartObject();
  json.Field("conversation", entry.info.id);
  json.Key("turn"), json.Unsigned(entry.info.turns);
  json.Key("last"), json.Unsigned(entry.info.last.value);
  if (entry.info.last_time) json.Field("last_time", entry.info.last_time->ToRfc3339());
  json.Field("activity", ToString(entry.summary.activity));
  if (!entry.summary.agent.empty()) json.Field("agent", entry.summary.agent);
  if (!entry.summary.folder.empty()) json.Field("folder", entry.summary.folder);
  if (!entry.summary.asked.empty()) json.Field("asked", entry.summary.asked);
  if (!entry.summary.said.empty()) json.Field("said", entry.summary.said);
  if (!entry.summary.error.empty()) json.Field("error", entry.summary.error);
  if (entry.attention.IsSnoozed(entry.summary.last, now)) {
    json.Field("snoozed_until", entry.attention.snoozed->ToRfc3339());
  }
  json.Key("inquiries");
  json.StartArray();
  for (const WaitingInquiry& inquiry : entry.summary.waiting) TURNLOG_TRY(WriteInquiry(log, id, inquiry, json));
  json.EndArray();
  json.EndObject();
  return {};
}

}  // namespace

void Overview::Forget(const std::string& conversation) {
  const std::scoped_lock lock(mutex_);
  known_.erase(conversation);
}

Result<TurnSummary> Overview::SummaryOf(const ConversationInfo& info) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(info.id);
    if (found != known_.end() && found->second.last == info.last) return found->second.summary;
  }
  const auto id = TURNLOG_TRY(ConversationId::Parse(info.id));
  TurnSummary summary = TURNLOG_TRY(SummarizeTurn(log_, id));
  const std::scoped_lock lock(mutex_);
  if (known_.size() > 2 * kNewest) known_.clear();
  known_.insert_or_assign(info.id, Known{info.last, summary});
  return summary;
}

Status Overview::MarkAllSeen(Timestamp now) {
  for (std::string after;;) {
    const auto page = TURNLOG_TRY(log_.ListChanged(kAttentionConsumer, after, kPage, Changes::kAll));
    if (page.empty()) return {};
    after = page.back().id;
    for (const ConversationInfo& info : page) {
      if (!IsSilentFor(info, kQuietBesideHooks, now)) {  // most need not be read
        const auto summary = SummaryOf(info);
        if (summary && summary->activity != Activity::kIdle && !HasStopped(info, *summary, now)) continue;
      }
      const auto id = TURNLOG_TRY(ConversationId::Parse(info.id));
      Attention attention = TURNLOG_TRY(FindAttention(log_, id));
      attention.seen = info.last;
      TURNLOG_TRY(SetAttention(log_, id, attention));
    }
  }
}

Result<std::string> Overview::ToJson(Timestamp now) {
  std::vector<ConversationInfo> infos = TURNLOG_TRY(ListUnseen(log_));
  std::set<std::string> listed;
  for (const ConversationInfo& info : infos) listed.insert(info.id);
  for (const PendingInquiry& pending : TURNLOG_TRY(log_.Pending({}))) {
    if (!listed.insert(pending.conversation).second) continue;
    const auto id = TURNLOG_TRY(ConversationId::Parse(pending.conversation));
    infos.push_back(TURNLOG_TRY(log_.Info(id)));
  }
  std::map<std::string_view, std::vector<Entry>> groups;
  for (ConversationInfo& info : infos) {
    const auto summary = SummaryOf(info);
    if (!summary) continue;  // damaged: `logctl verify` says where
    const auto id = TURNLOG_TRY(ConversationId::Parse(info.id));
    Entry entry{std::move(info), *summary, TURNLOG_TRY(FindAttention(log_, id))};
    const bool seen = entry.attention.seen >= entry.summary.last && entry.attention.seen.value != 0;
    if (seen && entry.summary.waiting.empty()) continue;
    const std::string_view group = GroupOf(entry, now);
    groups[group].push_back(std::move(entry));
  }
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  for (const std::string_view group : {"blocked", "failed", "finished", "running"}) {
    json.Key(group);
    json.StartArray();
    for (const Entry& entry : groups[group]) TURNLOG_TRY(WriteEntry(log_, entry, now, json));
    json.EndArray();
  }
  json.EndObject();
  return text;
}

}  // namespace turnlog
