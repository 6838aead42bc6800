#include "tests/store/erased_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "schema/event/codec.h"
#include "store/engine/event_log.h"
#include "tests/store/deterministic_workload.h"
#include "turnlog/maintenance.h"

namespace turnlog {
namespace {

// What a redaction leaves of an event whose whole text is secret.
Event RedactedAt(const EventKey& key) {
  Event event = EventAt(key.first, key.second);
  const std::string mark = "[redacted]";
  if (auto* said = std::get_if<ChatRequest>(&event.body)) said->content = mark;
  if (auto* said = std::get_if<ChatResponse>(&event.body)) *said = {.part = ChatPart::kMessage, .content = mark};
  if (auto* call = std::get_if<ToolCallRequest>(&event.body)) call->arguments = {};
  if (auto* result = std::get_if<ToolCallResponse>(&event.body)) result->content = mark;
  return event;
}

void CheckConversation(Log& log, std::uint32_t conversation, std::uint64_t last, EventKeys& erased) {
  EventEncoder encoder;
  const auto cursor = log.ReadRaw(NameOf(conversation));
  ASSERT_TRUE(cursor) << cursor.error().message;
  for (std::uint64_t seq = 1; seq <= last; ++seq) {
    const auto item = (*cursor)->Next();
    ASSERT_TRUE(item) << item.error().message;
    const Event expected = EventAt(conversation, seq);
    if (const auto* gone = std::get_if<Erased>(&*item)) {
      ASSERT_EQ(gone->seq.value, seq);
      ASSERT_EQ(gone->kind, expected.kind());
      erased.emplace(conversation, seq);
      continue;
    }
    const auto* damage = std::get_if<Damage>(&*item);
    ASSERT_EQ(damage, nullptr) << ToString(*damage);
    const auto* record = std::get_if<Record>(&*item);
    ASSERT_NE(record, nullptr) << "conversation " << conversation << " ends before " << seq << " of " << last;
    ASSERT_EQ(record->seq.value, seq);
    if (record->kind == EventKind::kRedaction) continue;
    const Event now = record->redacted ? RedactedAt({conversation, seq}) : expected;
    ASSERT_TRUE(record->payload == encoder.Encode(View(now))) << conversation << ":" << seq;
    if (record->redacted) erased.emplace(conversation, seq);
  }
}

// A piece of the event's encoding that no other event has; empty if it is too short.
std::string UniqueContent(const EventKey& key) {
  constexpr std::size_t kLength = 32;
  EventEncoder encoder;
  const Event event = EventAt(key.first, key.second);
  const std::string_view payload = encoder.Encode(View(event));
  return payload.size() < 10 * kLength ? "" : std::string(payload.substr(payload.size() / 2, kLength));
}

void ExpectClean(const std::filesystem::path& store) {
  const auto report = VerifyStore(store);
  ASSERT_TRUE(report) << report.error().message;
  for (const Damage& damage : report->damage) ADD_FAILURE() << ToString(damage);
  for (const std::string& difference : report->index_differences) ADD_FAILURE() << difference;
}

}  // namespace

bool MayBeErased(const EventKey& key) { return EventAt(key.first, key.second).kind() != EventKind::kRepair; }

bool MayBeRedacted(const EventKey& key) {
  const EventKind kind = EventAt(key.first, key.second).kind();
  return kind >= EventKind::kChatRequest && kind <= EventKind::kToolCallResponse;
}

Status Redact(Log& log, std::uint32_t conversation, std::span<const Seq> seqs, const RedactOptions& options) {
  std::map<Seq, Event> events;
  for (const Seq seq : seqs) events.emplace(seq, RedactedAt({conversation, seq.value}));
  std::vector<Replacement> replacements;
  replacements.reserve(events.size());
  for (const auto& [seq, event] : events) replacements.push_back({seq, View(event)});
  const Event redaction{.body = Verbatim{.kind = EventKind::kRedaction,
                                         .tag = "redaction",
                                         .json = Json::FromTrusted(R"({"type":"redaction"})")}};
  const auto report = log.Redact(NameOf(conversation), replacements, View(redaction), options);
  if (!report) return std::unexpected(report.error());
  return {};
}

EventKeys ErasedEvents(Log& log) {
  EventKeys erased;
  const auto all = log.List("", 1'000'000);
  EXPECT_TRUE(all) << all.error().message;
  if (!all) return erased;
  for (const ConversationInfo& info : *all) {
    const auto conversation = static_cast<std::uint32_t>(std::stoul(info.id.substr(info.id.rfind(' ') + 1)));
    CheckConversation(log, conversation, info.last.value, erased);
  }
  return erased;
}

void ExpectGone(const std::filesystem::path& store, const EventKeys& keys) {
  std::string bytes;
  for (const auto& entry : std::filesystem::directory_iterator(store / "log")) {
    std::ifstream file(entry.path(), std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(file), {});
  }
  for (const EventKey& key : keys) {
    const std::string piece = UniqueContent(key);
    if (piece.empty()) continue;
    EXPECT_EQ(bytes.find(piece), std::string::npos) << key.first << ":" << key.second << " is still on disk";
  }
}

void ExpectErased(const std::filesystem::path& store, EventKeys& erased, const EventKeys& pending,
                  const Environment& environment) {
  EventKeys seen;
  {
    const auto reader = OpenSegmentLog(store, {.mode = OpenMode::kRead});
    ASSERT_TRUE(reader) << reader.error().message;
    seen = ErasedEvents(**reader);
  }
  if (std::filesystem::exists(store / "index" / "CURRENT")) ExpectClean(store);  // else it has no index yet
  {
    const auto log = EventLog::Open(store, {.mode = OpenMode::kWrite}, environment);
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ(ErasedEvents(**log), seen) << "readers and the next writer do not agree";
    ASSERT_TRUE((*log)->Close());
  }
  ExpectClean(store);
  EventKeys with_pending = erased;
  with_pending.insert(pending.begin(), pending.end());
  EXPECT_TRUE(seen == erased || seen == with_pending)
      << seen.size() << " are erased, not " << erased.size() << " or " << with_pending.size();
  erased = seen;
  ExpectGone(store, erased);
}

}  // namespace turnlog
