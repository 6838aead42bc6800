#include "migrate/records/list_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/count_lines.h"
#include "base/try.h"
#include "migrate/format.h"
#include "migrate/records/json_array.h"
#include "migrate/records/lone_surrogates.h"
#include "migrate/records/torn_document.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

// The first byte in the list that begins at `at`; 0 if there is no list.
char FirstInList(std::string_view window, std::size_t at) {
  if (at >= window.size() || window[at] != '[') return '\0';
  const std::size_t first = SkipJsonSpace(window, at + 1);
  return first < window.size() ? window[first] : '\0';
}

// Whether the list that begins at the window has no further element.
bool IsAtEnd(std::string_view window, bool first) {
  std::size_t at = SkipJsonSpace(window, 0);
  if (first && at < window.size() && window[at] == '[') at = SkipJsonSpace(window, at + 1);
  return at < window.size() && window[at] == ']';
}

// The element that a head cuts, closed after what is there of it; the first one may be larger than a head, with an
// image for example. `rest`: from the bracket or comma before it on.
std::optional<JsonObject> CutElementOf(std::string_view rest) {
  const std::size_t begin = SkipJsonSpace(rest, std::min(rest.size(), SkipJsonSpace(rest, 0) + 1));
  const std::string_view cut = rest.substr(begin);
  const auto closed = CloseDocument(cut);
  if (!closed) return std::nullopt;
  // As a string in another object, because what that gives keeps its text.
  std::string around = "{\"cut\":";
  AppendJsonString(std::string(cut.substr(0, closed->end)) + closed->closing, around);
  around += '}';
  return JsonObject::OfValid(around).Embedded("cut");
}

// The objects after damage at the beginning of `rest`: taken is the first one that is recognised.
std::optional<JsonObject> TakeOwnAfterDamage(std::string_view& rest, const IsRecord& is_own) {
  std::size_t budget = is_own ? SearchBudget(rest.size()) : 0;
  const auto found = FindElement(rest, {.from = 0, .to = rest.size(), .any_first = false}, is_own, budget);
  if (!found) return std::nullopt;
  auto object = JsonObject::Parse(rest.substr(found->begin, found->end - found->begin));
  rest.remove_prefix(found->end);
  return object;
}

std::size_t BeginOfDocument(std::string_view window) {
  return SkipJsonSpace(window, window.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

ListBegin FindSoundList(std::string_view window, std::span<const std::string_view> fields) {
  std::size_t at = BeginOfDocument(window);
  const auto is = [&](char c) { return at < window.size() && window[at] == c; };
  if (is('[')) return {.found = true, .begin = at};
  if (at < window.size() && !is('{')) return {.fault = JsonFault{at, "neither an object nor an array"}};
  ListBegin empty;
  while (is('{') || is(',')) {
    at = SkipJsonSpace(window, at + 1);
    if (is('}')) return empty;
    std::size_t key_end = 0;
    const JsonEnd value = ScanJsonKey(window, at, key_end);
    if (!value) return {.fault = value.error()};
    const std::string_view key = window.substr(at, key_end - at);
    const bool named = std::ranges::any_of(fields, [&](std::string_view field) {
      return key.size() == field.size() + 2 && key.substr(1, field.size()) == field;
    });
    const char first = named ? FirstInList(window, *value) : '\0';
    if (first == '{') return {.found = true, .begin = *value};
    if (first == ']' && !empty.found) empty = {.found = true, .begin = *value};
    const JsonEnd end = ScanJson(window, *value, 1);
    if (!end) return {.fault = end.error()};
    at = SkipJsonSpace(window, *end);
  }
  if (is('}')) return empty;
  return {.fault = JsonFault{at, at < window.size() ? "expected ',' or '}'" : kJsonEndsEarly}};
}

}  // namespace

// Lone surrogates before the list cost nothing: all that precedes it is kept as it is.
ListBegin FindList(std::string_view window, std::span<const std::string_view> fields) {
  const ListBegin list = FindSoundList(window, fields);
  const auto without = list.fault ? WithoutLoneSurrogates(window, *list.fault) : std::nullopt;
  return without ? FindSoundList(*without, fields) : list;
}

std::vector<JsonObject> FirstRecords(std::string_view head, std::span<const std::string_view> fields,
                                     const IsRecord& is_own) {
  std::vector<JsonObject> records;
  const ListBegin list = FindList(head, fields);
  if (!list.found) return records;
  const bool is_cut = head.size() >= kProbeBytes;
  head.remove_prefix(list.begin);
  for (bool first = true; !IsAtEnd(head, first); first = false) {
    const auto piece = CutArray(head, first, false);
    if (piece && piece->kind == ArrayPiece::Kind::kElement) {
      if (auto object = JsonObject::Parse(piece->element.text)) records.push_back(*std::move(object));
      head.remove_prefix(piece->element.lead.size() + piece->element.text.size());
      continue;
    }
    auto own = TakeOwnAfterDamage(head, is_own);
    const bool goes_on = own.has_value();
    if (!own && is_cut) own = CutElementOf(head);
    if (own) records.push_back(*std::move(own));
    if (!goes_on) break;
  }
  return records;
}

Result<RecordPiece> ListReader::Next() {
  bytes_.Consume(std::exchange(header_, 0));
  if (!elements_) return Begin();
  return Piece(TURNLOG_TRY(elements_->Next()));
}

Result<RecordPiece> ListReader::Begin() {
  bool more = true;
  ListBegin list = FindList(bytes_.window(), fields_);
  const auto is_undecided = [&] { return !list.found && !(list.fault && IsFinal(*list.fault, bytes_.window())); };
  while (is_undecided() && more && bytes_.window().size() <= kMaxRecordBytes) {
    more = TURNLOG_TRY(bytes_.More());
    list = FindList(bytes_.window(), fields_);
  }
  const std::string_view window = bytes_.window();
  const std::size_t begin = BeginOfDocument(window);
  elements_.emplace(bytes_, is_record_, begin < window.size() && window[begin] != '[');
  if (!list.found) return Piece(TURNLOG_TRY(BeginWithoutList(list.fault, !more)));
  header_ = list.begin;
  return Located({.kind = RecordPiece::Kind::kHeader, .lead = {}, .bytes = window.substr(0, header_)}, 0);
}

// A sound document may have no list; a damaged one has records behind the damage.
Result<ElementPiece> ListReader::BeginWithoutList(const std::optional<JsonFault>& fault, bool whole) {
  if (whole && !FindJsonFault(bytes_.window())) return elements_->EndWithoutArray();
  return elements_->NextWithoutArray(fault ? fault->what : "no list of records");
}

RecordPiece ListReader::Piece(const ElementPiece& element) {
  RecordPiece piece{.lead = {}, .bytes = element.text, .object = {}, .reason = element.reason};
  if (element.kind == ElementPiece::Kind::kDamage) piece.kind = RecordPiece::Kind::kDamage;
  if (element.kind == ElementPiece::Kind::kElement) {
    const bool sound = !element.fault && element.text.starts_with('{');
    if (!sound) piece = CutRecord(element.text, repaired_);
    if (sound) piece.object = JsonObject::OfValid(element.text), piece.kind = RecordPiece::Kind::kRecord;
  }
  piece.lead = element.lead;
  return Located(std::move(piece), element.offset);
}

RecordPiece ListReader::Located(RecordPiece piece, std::uint64_t offset) {
  piece.offset = offset;
  piece.line = line_ + CountLines(piece.lead);
  line_ = piece.line + CountLines(piece.bytes);
  return piece;
}

}  // namespace turnlog
