#include "migrate/records/list_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/try.h"
#include "migrate/format.h"
#include "migrate/records/json_array.h"
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

}  // namespace

ListBegin FindList(std::string_view window, std::span<const std::string_view> fields) {
  std::size_t at = SkipJsonSpace(window, 0);
  if (at < window.size() && window[at] == '[') return {true, at};
  if (at >= window.size() || window[at] != '{') return {};
  ListBegin empty;
  for (++at; at < window.size();) {
    at = SkipJsonSpace(window, at);
    std::size_t key_end = 0;
    const auto value = ScanJsonKey(window, at, key_end);
    if (!value) return {};
    const std::string_view key = window.substr(at, key_end - at);
    const bool named = std::ranges::any_of(fields, [&](std::string_view field) {
      return key.size() == field.size() + 2 && key.substr(1, field.size()) == field;
    });
    const char first = named ? FirstInList(window, *value) : '\0';
    if (first == '{') return {true, *value};
    if (first == ']' && !empty.found) empty = {true, *value};
    const JsonEnd end = ScanJson(window, *value, 1);
    if (!end) return {};
    at = SkipJsonSpace(window, *end);
    if (at >= window.size()) return {};
    if (window[at] != ',') return empty;
    ++at;
  }
  return {};
}

std::vector<JsonObject> FirstRecords(std::string_view head, std::span<const std::string_view> fields) {
  std::vector<JsonObject> records;
  const ListBegin list = FindList(head, fields);
  if (!list.found) return records;
  const bool is_cut = head.size() >= kProbeBytes;
  head.remove_prefix(list.begin);
  for (bool first = true; !IsAtEnd(head, first); first = false) {
    const auto piece = CutArray(head, first, false);
    if (!piece) break;
    if (piece->kind != ArrayPiece::Kind::kElement) {
      if (auto object = is_cut ? CutElementOf(head) : std::nullopt) records.push_back(*std::move(object));
      break;
    }
    if (auto object = JsonObject::Parse(piece->element.text)) records.push_back(*std::move(object));
    head.remove_prefix(piece->element.lead.size() + piece->element.text.size());
  }
  return records;
}

Result<RecordPiece> ListReader::Next() {
  bytes_.Consume(std::exchange(consume_, 0));
  if (ended_) return RecordPiece{.offset = bytes_.offset()};
  if (in_rest_) return End({});
  if (!in_list_) return Header();
  for (bool whole = false;; whole = !TURNLOG_TRY(bytes_.More())) {
    if (IsAtEnd(bytes_.window(), first_)) return End({});
    const auto piece = CutArray(bytes_.window(), first_, whole);
    if (!piece) return End(piece.error().reason);
    if (piece->kind == ArrayPiece::Kind::kElement) return Element(piece->element.lead, piece->element.text);
    if (whole || bytes_.window().size() > kMaxRecordBytes) return End("longer than any record");
  }
}

Result<RecordPiece> ListReader::Header() {
  bool more = true;
  ListBegin list = FindList(bytes_.window(), fields_);
  while (!list.found && more && bytes_.window().size() <= kMaxRecordBytes) {
    more = TURNLOG_TRY(bytes_.More());
    list = FindList(bytes_.window(), fields_);
  }
  if (!list.found) return End("no list of records");
  in_list_ = true;
  consume_ = list.begin;
  return RecordPiece{.kind = RecordPiece::Kind::kHeader, .lead = {}, .bytes = bytes_.window().substr(0, list.begin)};
}

// The rest of the document.
Result<RecordPiece> ListReader::End(std::string_view reason) {
  while (bytes_.window().size() <= kMaxRecordBytes && TURNLOG_TRY(bytes_.More())) {
  }
  const std::size_t size = std::min(bytes_.window().size(), kMaxDamageBytes);
  ended_ = size == bytes_.window().size();
  consume_ = size;
  in_rest_ = true;
  RecordPiece piece{.lead = {}, .bytes = bytes_.window().substr(0, size), .object = {}, .reason = reason};
  piece.offset = bytes_.offset();
  if (ended_) return piece;
  piece.kind = RecordPiece::Kind::kDamage;
  piece.reason = "too much follows the list of records";
  return piece;
}

RecordPiece ListReader::Element(std::string_view lead, std::string_view text) {
  first_ = false;
  consume_ = lead.size() + text.size();
  RecordPiece piece = CutRecord(text, repaired_);
  piece.lead = lead;
  piece.offset = bytes_.offset() + lead.size();
  return piece;
}

}  // namespace turnlog
