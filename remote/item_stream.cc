#include "remote/item_stream.h"

#include "base/coding.h"
#include "base/try.h"
#include "remote/problem.h"

namespace turnlog {
namespace {

constexpr std::size_t kPrefix = sizeof(std::uint32_t);
constexpr char kInserted = 1, kRedacted = 2, kLast = 1;

std::unexpected<Error> Malformed() {
  return std::unexpected(Error{ErrorCode::kIo, "the service sent an item that this version cannot read"});
}

void AppendKind(std::string& out, EventKind kind) { out.push_back(static_cast<char>(kind)); }

char Byte(Decoder& from) {
  const std::string_view byte = from.Bytes(1);
  return byte.empty() ? '\0' : byte.front();
}

EventKind KindOf(char byte) { return static_cast<EventKind>(static_cast<unsigned char>(byte)); }

Record ReadRecord(Decoder& from) {
  const char flags = Byte(from);
  Record record;
  record.kind = KindOf(Byte(from));
  record.seq = {from.Varint()};
  record.turn = {from.Varint()};
  record.conversation = from.Text();
  record.rule = from.Text();
  record.payload = from.Text();
  record.inserted = (flags & kInserted) != 0;
  record.redacted = (flags & kRedacted) != 0;
  return record;
}

Erased ReadErased(Decoder& from) {
  Erased erased;
  erased.kind = KindOf(Byte(from));
  erased.seq = {from.Varint()};
  erased.turn = {from.Varint()};
  erased.conversation = from.Text();
  return erased;
}

Damage ReadDamage(Decoder& from) {
  Damage damage;
  damage.file = from.Text();
  damage.offset = from.Varint();
  damage.length = from.Varint();
  damage.conversation = from.Text();
  damage.seq = from.Varint();
  damage.reason = from.Text();
  return damage;
}

StoragePiece ReadPiece(Decoder& from) {
  StoragePiece piece;
  piece.last = (Byte(from) & kLast) != 0;
  piece.object = from.Text();
  piece.offset = from.Varint();
  piece.bytes = from.Text();
  return piece;
}

}  // namespace

template <class Fill>
void ItemWriter::Put(WireType type, Fill fill) {
  const std::size_t begin = out_.size();
  out_.append(kPrefix, '\0');
  out_.push_back(static_cast<char>(type));
  fill();
  StoreLittle(out_.data() + begin, static_cast<std::uint32_t>(out_.size() - begin - kPrefix));
}

void ItemWriter::Add(const Item& item) {
  if (const auto* record = std::get_if<Record>(&item)) {
    Put(WireType::kRecord, [&] {
      out_.push_back(static_cast<char>((record->inserted ? kInserted : 0) | (record->redacted ? kRedacted : 0)));
      AppendKind(out_, record->kind);
      AppendVarint(out_, record->seq.value);
      AppendVarint(out_, record->turn.value);
      AppendText(out_, record->conversation);
      AppendText(out_, record->rule);
      AppendText(out_, record->payload);
    });
  } else if (const auto* erased = std::get_if<Erased>(&item)) {
    Put(WireType::kErased, [&] {
      AppendKind(out_, erased->kind);
      AppendVarint(out_, erased->seq.value);
      AppendVarint(out_, erased->turn.value);
      AppendText(out_, erased->conversation);
    });
  } else if (const auto* damage = std::get_if<Damage>(&item)) {
    Put(WireType::kDamage, [&] {
      AppendText(out_, damage->file);
      AppendVarint(out_, damage->offset);
      AppendVarint(out_, damage->length);
      AppendText(out_, damage->conversation);
      AppendVarint(out_, damage->seq);
      AppendText(out_, damage->reason);
    });
  } else {
    Put(WireType::kEnd, [] {});
  }
}

void ItemWriter::Add(const Error& error) {
  Put(WireType::kError, [&] { out_.append(ToProblem(error)); });
}

void ItemWriter::Add(const Position& position) {
  Put(WireType::kPosition, [&] { AppendText(out_, position.ToText()); });
}

void ItemWriter::Add(const StoragePiece& piece) {
  Put(WireType::kPiece, [&] {
    out_.push_back(piece.last ? kLast : '\0');
    AppendText(out_, piece.object);
    AppendVarint(out_, piece.offset);
    AppendText(out_, piece.bytes);
  });
}

void ItemWriter::AddEntry(std::string_view object, std::string_view key, std::string_view value) {
  Put(WireType::kEntry, [&] { AppendText(out_, object), AppendText(out_, key), AppendText(out_, value); });
}

void ItemWriter::AddUnreadable(std::string_view object, std::string_view reason) {
  Put(WireType::kUnreadable, [&] { AppendText(out_, object), AppendText(out_, reason); });
}

void ItemWriter::AddProgress(std::uint64_t done, std::uint64_t total) {
  Put(WireType::kProgress, [&] { AppendVarint(out_, done), AppendVarint(out_, total); });
}

std::uint64_t ItemLength(std::string_view bytes) {
  return bytes.size() < kPrefix ? 0 : kPrefix + LoadLittle<std::uint32_t>(bytes.data());
}

bool IsRecord(std::string_view bytes) {
  return bytes.size() > kPrefix && bytes[kPrefix] == static_cast<char>(WireType::kRecord);
}

Result<Record> ParseRecord(std::string_view bytes) {
  Decoder from{bytes.substr(kPrefix + 1)};
  const Record record = ReadRecord(from);
  if (!from.ok) return Malformed();
  return record;
}

Result<WireItem> ParseItem(std::string_view bytes) {
  Decoder from{bytes.substr(kPrefix)};
  WireItem item{.type = static_cast<WireType>(Byte(from))};
  switch (item.type) {
    case WireType::kEnd:
      break;
    case WireType::kRecord:
      item.item = ReadRecord(from);
      break;
    case WireType::kErased:
      item.item = ReadErased(from);
      break;
    case WireType::kDamage:
      item.item = ReadDamage(from);
      break;
    case WireType::kError:
      item.error = FromProblem(500, from.bytes);
      break;
    case WireType::kPosition:
      item.position = TURNLOG_TRY(Position::Parse(from.Text()));
      break;
    case WireType::kPiece:
      item.piece = ReadPiece(from);
      break;
    case WireType::kEntry:
      item.object = from.Text(), item.key = from.Text(), item.value = from.Text();
      break;
    case WireType::kUnreadable:
      item.object = from.Text(), item.value = from.Text();
      break;
    case WireType::kProgress:
      item.done = from.Varint(), item.total = from.Varint();
      break;
    default:
      return Malformed();
  }
  if (!from.ok) return Malformed();
  return item;
}

}  // namespace turnlog
