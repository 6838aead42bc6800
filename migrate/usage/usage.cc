#include "turnlog/migrate/usage.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/hash_map.h"
#include "base/try.h"
#include "migrate/format.h"
#include "migrate/logged/copied_history.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/stored_events.h"
#include "migrate/records/foreign_event.h"
#include "migrate/records/record_source.h"
#include "migrate/records/record_writer.h"
#include "migrate/usage/usage_reader.h"

namespace turnlog {
namespace {

// Puts together the records of a conversation that its reader wants.
class RecordCollector {
 public:
  RecordCollector(UsageReader& reader, const UsageSink& sink) : reader_(reader), sink_(sink) {}

  void Add(const EventView& event) {
    if (event.source_text) Begin(event);
    if (wanted_) writer_.Add(event, bytes_);
  }

  void Finish() {
    const std::size_t begin = bytes_.find('{');
    if (wanted_ && begin != std::string::npos) {
      const std::string_view record = WithoutSeparators(std::string_view(bytes_).substr(begin));
      if (const auto object = JsonObject::Parse(record)) Read(*object);
    }
    wanted_ = false;
    bytes_.clear();
  }

 private:
  void Begin(const EventView& event) {
    Finish();
    const auto foreign = ReadForeign(event);
    foreign_ = foreign.has_value();
    wanted_ = reader_.Wants(*event.source_text) || (foreign && reader_.Wants(*foreign));
  }

  void Read(const JsonObject& record) {
    const bool copy = reader_.IsCopy(record, foreign_);
    reader_.Read(record, [&](MessageUsage usage) {
      usage.copy |= copy;
      sink_(std::move(usage));
    });
  }

  UsageReader& reader_;
  const UsageSink& sink_;
  RecordWriter writer_;
  std::string bytes_;
  bool wanted_ = false, foreign_ = false;
};

class UsageCount {
 public:
  explicit UsageCount(std::span<const ConversationId> conversations) {
    for (const ConversationId& conversation : conversations) counted_.insert(conversation.text());
  }

  Status Read(Log& log, const ConversationId& id, std::vector<Damage>& damage) {
    auto found = FindImports(log, id);
    if (!found && found.error().code == ErrorCode::kCorruption) return FindDamage(log, id, found.error(), damage);
    const auto imports = TURNLOG_TRY(std::move(found));
    bool counted = false;
    if (imports) counted = TURNLOG_TRY(ReadImported(log, id, imports->last, damage));
    if (!counted) ++uncounted_[imports ? imports->last.format : std::string()];
    return {};
  }

  UsageReport Sum(UsageBy by) const {
    std::map<std::string, UsageRow> rows;
    UsageReport report;
    for (const Message& message : messages_) {
      const std::string name = NameOf(message, by);
      for (UsageRow* row : {&rows[name], &report.sum}) {
        ++row->messages;
        row->tokens += message.tokens;
      }
    }
    report.uncounted = uncounted_;
    for (auto& [name, row] : rows) {
      row.name = name;
      report.rows.push_back(std::move(row));
    }
    return report;
  }

 private:
  // Of a conversation whose imports cannot be read: what it has cost is not known.
  static Status FindDamage(Log& log, const ConversationId& id, const Error& error, std::vector<Damage>& damage) {
    const std::size_t before = damage.size();
    StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, id));
    while (TURNLOG_TRY(stored.NextIntact(damage))) {
    }
    return damage.size() > before ? Status() : std::unexpected(error);
  }

  // Whether the conversation says what it has cost.
  Result<bool> ReadImported(Log& log, const ConversationId& id, const ImportRecord& record,
                            std::vector<Damage>& damage) {
    const Format* const format = FindFormat(record.format);
    if (format == nullptr || format->usage == nullptr) return false;
    conversations_.push_back(id.text());
    const auto reader = format->usage();
    reader->Know([this](std::string_view conversation) { return counted_.contains(conversation); });
    bool counted = false;
    const UsageSink sink = [&](MessageUsage usage) {
      counted = true;
      Take(std::move(usage));
    };
    ReadDocument(*reader, record, sink);
    for (const auto& [name, text] : record.parts) {
      if (TURNLOG_TRY(CountsElsewhere(log, name, text))) continue;
      reader->ReadPart(name, text, sink);
    }
    TURNLOG_TRY(ReadEvents(log, id, *reader, sink, damage));
    reader->Finish(sink);
    return counted;
  }

  // A copy has cost nothing if its origin, which was imported later, counts.
  static Result<bool> CountsElsewhere(Log& log, std::string_view part, const std::string& text) {
    const auto origin = ConversationId::Parse(text);
    if (part != kOriginMissingPart || !origin) return false;
    return TURNLOG_TRY(LastSeq(log, *origin)).value > 0;
  }

  struct Message {
    std::size_t conversation = 0, model = 0;
    std::optional<Timestamp> time, conversation_began;
    TokenUsage tokens;
    bool copy = false;
    bool shared = false;  // other conversations have it, too
  };

  static void ReadDocument(UsageReader& reader, const ImportRecord& record, const UsageSink& sink) {
    const std::string text = std::string(record.Part(kHeaderPart)).append("[").append(record.Part(kTrailerPart));
    const std::size_t begin = text.find('{');
    const std::size_t end = text.rfind('}');
    if (begin == std::string::npos || end == std::string::npos) return;
    const auto document = JsonObject::Parse(std::string_view(text).substr(begin, end + 1 - begin));
    if (document) reader.ReadDocument(*document, sink);
  }

  static Status ReadEvents(Log& log, const ConversationId& id, UsageReader& reader, const UsageSink& sink,
                           std::vector<Damage>& damage) {
    StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, id));
    EventOrigins origins;
    RecordCollector records(reader, sink);
    while (const auto event = TURNLOG_TRY(stored.NextIntact(damage))) {
      if (origins.Next(*event) == EventOrigin::kImported) records.Add(event->event);
    }
    records.Finish();
    return {};
  }

  // Whether the other conversation has a message of `known` first. The order in which they are read says nothing.
  static bool IsFirst(const Message& message, const Message& known) {
    const auto earlier = [](const std::optional<Timestamp>& one, const std::optional<Timestamp>& other) {
      return one && (!other || *one < *other);
    };
    if (message.copy != known.copy) return known.copy;
    if (message.time != known.time) return earlier(message.time, known.time);
    return earlier(message.conversation_began, known.conversation_began);
  }

  // A message belongs to the conversation that has it first; its last record counts.
  void Take(MessageUsage usage) {
    const Message message{.conversation = conversations_.size() - 1,
                          .model = ModelOf(std::move(usage.model)),
                          .time = usage.time,
                          .conversation_began = usage.conversation_began,
                          .tokens = usage.tokens,
                          .copy = usage.copy};
    if (usage.message.empty()) return messages_.push_back(message);
    const auto [index, added] = by_id_.TryEmplace(HashId(usage.message, 0), messages_.size());
    if (added) return messages_.push_back(message);
    Message& known = messages_[index];
    if (usage.by_place && !message.copy && !known.copy) return messages_.push_back(message);
    const bool same = known.conversation == message.conversation;
    const bool shared = known.shared || !same, copy = same ? known.copy : message.copy;
    const auto time = same && known.time ? known.time : message.time;
    // A copy may end within the message: it then has fewer of its tokens.
    const TokenUsage most = message.tokens.total() < known.tokens.total() ? known.tokens : message.tokens;
    if (same || IsFirst(message, known)) {
      known = message;
      known.time = time;
      known.copy = copy;  // as its first record there
    }
    if (shared) known.tokens = most;
    known.shared = shared;
  }

  std::size_t ModelOf(std::string model) {
    const auto [found, added] = model_numbers_.try_emplace(model, models_.size());
    if (added) models_.push_back(std::move(model));
    return found->second;
  }

  std::string NameOf(const Message& message, UsageBy by) const {
    constexpr std::size_t kDate = 10;
    switch (by) {
      case UsageBy::kDay:
        return message.time ? message.time->ToRfc3339().substr(0, kDate) : std::string();
      case UsageBy::kModel:
        return models_[message.model];
      case UsageBy::kConversation:
        return conversations_[message.conversation];
    }
    return {};
  }

  std::set<std::string_view> counted_;
  std::vector<std::string> conversations_, models_;
  std::map<std::string, std::size_t> model_numbers_;
  std::vector<Message> messages_;
  HashMap<std::size_t> by_id_;
  std::map<std::string, std::uint64_t> uncounted_;
};

}  // namespace

TokenUsage& TokenUsage::operator+=(const TokenUsage& other) {
  input += other.input;
  cache_write += other.cache_write;
  cache_read += other.cache_read;
  output += other.output;
  reasoning += other.reasoning;
  return *this;
}

Result<UsageReport> CountUsage(Log& log, UsageBy by, std::span<const ConversationId> conversations) {
  UsageCount count(conversations);
  std::vector<Damage> damage;
  for (const ConversationId& conversation : conversations) TURNLOG_TRY(count.Read(log, conversation, damage));
  UsageReport report = count.Sum(by);
  report.damage = std::move(damage);
  return report;
}

}  // namespace turnlog
