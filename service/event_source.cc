#include "service/event_source.h"

#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "remote/item_stream.h"
#include "schema/json/json_writer.h"
#include "service/cut_event.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

constexpr std::size_t kPiece = std::size_t{128} << 10;  // less than a socket has room for, usually

// A line for damage is no event and cannot be one: it says so by its type, and is refused by an append.
void AppendDamage(const Damage& damage, std::string& out) {
  JsonWriter json(out);
  json.StartObject();
  if (!damage.conversation.empty()) json.Field("conversation", damage.conversation);
  if (damage.seq != 0) json.Key("seq"), json.Unsigned(damage.seq);
  json.Field("type", "damaged");
  json.Field("damage", ToString(damage));
  json.EndObject();
}

class LineSource : public BodySource {
 public:
  using Append = void (*)(const Item& item, std::string& out);

  LineSource(std::unique_ptr<Cursor> cursor, Append append) : cursor_(std::move(cursor)), append_(append) {}

  Result<State> Read(std::string& piece) override {
    while (piece.size() < kPiece) {
      const auto item = cursor_->Next();
      if (!item) return std::unexpected(item.error());
      if (std::holds_alternative<EndOfLog>(*item)) return State::kEnd;
      append_(*item, piece);
    }
    return State::kMore;
  }

 private:
  const std::unique_ptr<Cursor> cursor_;
  const Append append_;
};

// Those that a repair has added can only be had here.
bool IsLarge(const Item& item) {
  const auto* record = std::get_if<Record>(&item);
  return record != nullptr && record->seq.value != 0 && record->payload.size() > kCutEvent;
}

template <bool kCut>
void AppendMarkedLine(const Item& item, std::string& out) {
  JsonWriter json(out);
  json.StartObject();
  if (const auto* record = std::get_if<Record>(&item)) {
    json.Key("turn"), json.Unsigned(record->turn.value);
    if (!record->rule.empty()) json.Field("rule", record->rule);
    if (record->inserted) json.Key("inserted"), json.Bool(true);
    if (record->redacted) json.Key("redacted"), json.Bool(true);
  }
  const bool cut = kCut && IsLarge(item);
  if (cut) json.Key("cut"), json.Unsigned(std::get<Record>(item).payload.size());
  json.Key("event");
  if (cut) {
    std::string line;
    AppendLine(item, line);
    AppendCutEvent(line, json.Value());
    Wipe(line);
  } else {
    AppendLine(item, json.Value());
    out.pop_back();  // its line break
  }
  json.EndObject();
  out.push_back('\n');
}

class ItemSource : public BodySource {
 public:
  explicit ItemSource(std::unique_ptr<Cursor> cursor) : cursor_(std::move(cursor)) {}

  Result<State> Read(std::string& piece) override {
    ItemWriter items(piece);
    while (piece.size() < kPiece) {
      const auto item = cursor_->Next();
      if (!item) return items.Add(item.error()), State::kEnd;
      items.Add(*item);
      if (std::holds_alternative<EndOfLog>(*item)) return State::kEnd;
    }
    return State::kMore;
  }

 private:
  const std::unique_ptr<Cursor> cursor_;
};

}  // namespace

void AppendLine(const Item& item, std::string& out) {
  if (const auto* record = std::get_if<Record>(&item)) {
    if (const auto event = record->Decode()) {
      AppendJson(*event, record->conversation, record->seq, out);
    } else {
      AppendDamage({{}, 0, 0, std::string(record->conversation), record->seq.value, event.error().message}, out);
    }
  } else if (const auto* erased = std::get_if<Erased>(&item)) {
    const Event mark = ErasedMark(erased->kind);
    AppendJson(View(mark), erased->conversation, erased->seq, out);
  } else {
    AppendDamage(std::get<Damage>(item), out);
  }
  out.push_back('\n');
}

std::unique_ptr<BodySource> LinesOf(std::unique_ptr<Cursor> cursor) {
  return std::make_unique<LineSource>(std::move(cursor), AppendLine);
}

std::unique_ptr<BodySource> MarkedLinesOf(std::unique_ptr<Cursor> cursor, bool cut) {
  return std::make_unique<LineSource>(std::move(cursor), cut ? AppendMarkedLine<true> : AppendMarkedLine<false>);
}

std::unique_ptr<BodySource> ItemsOf(std::unique_ptr<Cursor> cursor) {
  return std::make_unique<ItemSource>(std::move(cursor));
}

}  // namespace turnlog
