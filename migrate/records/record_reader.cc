#include "migrate/records/record_reader.h"

#include <algorithm>
#include <utility>

#include "base/count_lines.h"
#include "base/try.h"
#include "migrate/records/json_array.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

std::size_t SkipLead(std::string_view text) {
  std::size_t at = SkipJsonSpace(text, 0);
  while (text.substr(at).starts_with(kByteOrderMark)) at = SkipJsonSpace(text, at + kByteOrderMark.size());
  return at;
}

}  // namespace

Result<RecordPiece> RecordReader::Next() {
  bytes_.Consume(std::exchange(consume_, 0));
  if (cuts_.empty()) TURNLOG_TRY(CutNext());
  Cut cut = std::move(cuts_.front());
  cuts_.pop_front();
  const std::string_view window = bytes_.window();
  const std::string_view lead = window.substr(0, cut.lead);
  line_ += CountLines(lead);
  RecordPiece piece{.kind = cut.kind,
                    .lead = lead,
                    .bytes = window.substr(cut.lead, cut.size),
                    .object = {},
                    .reason = cut.reason,
                    .offset = bytes_.offset() + cut.lead,
                    .line = line_};
  if (cut.kind == RecordPiece::Kind::kEnd) return piece;
  consume_ = cut.lead + cut.size;
  repaired_ = std::move(cut.repaired);
  if (cut.kind == RecordPiece::Kind::kDamage) line_ += CountLines(piece.bytes);
  if (cut.kind == RecordPiece::Kind::kRecord) piece.object = std::move(cut.object);
  if (cut.kind == RecordPiece::Kind::kRepaired) piece.object = *JsonObject::Parse(repaired_);
  return piece;
}

// Cuts the next line that is not empty, or a part of a very long one.
Result<void> RecordReader::CutNext() {
  std::size_t begin = 0;
  if (!TURNLOG_TRY(FindText(begin))) return {};
  bool last = false;
  std::size_t end = bytes_.window().find('\n', begin);
  while (end == std::string_view::npos && !last) {
    const std::size_t searched = bytes_.window().size();
    if (searched - begin > kMaxLineBytes) {
      in_long_line_ = true;
      return CutDamage(begin, begin + kMaxDamageBytes, "longer than any record"), Result<void>();
    }
    last = !TURNLOG_TRY(bytes_.More());
    end = bytes_.window().find('\n', searched);
  }
  if (std::exchange(in_long_line_, false)) {
    CutDamage(begin, std::min(end, bytes_.window().size()), "longer than any record");
  } else {
    CutLine(begin, std::min(end, bytes_.window().size()), last);
  }
  return {};
}

// Finds the next byte that is not white space. False: a cut was made instead.
Result<bool> RecordReader::FindText(std::size_t& begin) {
  for (;;) {
    const std::string_view window = bytes_.window();
    begin = SkipLead(window);
    // A byte order mark may continue after the window.
    if (begin < window.size() && !kByteOrderMark.starts_with(window.substr(begin))) return true;
    if (begin == window.size() && begin > kMaxDamageBytes) {
      return CutDamage(0, begin, "white space"), false;
    }
    if (TURNLOG_TRY(bytes_.More())) continue;
    if (begin < bytes_.window().size()) return true;
    return CutEnd({}), false;
  }
}

void RecordReader::CutLine(std::size_t begin, std::size_t end, bool last) {
  const std::string_view window = bytes_.window();
  std::string_view line = window.substr(begin, end - begin);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  std::string repaired;
  RecordPiece whole = CutRecord(line, repaired);
  if (whole.kind != RecordPiece::Kind::kDamage) {
    return cuts_.push_back(
        {whole.kind, begin, line.size(), whole.reason, std::move(whole.object), std::move(repaired)});
  }
  std::vector<SalvagedPiece> pieces = SalvageLine(line, is_record_, last);
  const bool fits = being_written_ || pieces.back().end - pieces.back().begin <= kMaxDamageBytes;
  const bool torn = last && !pieces.back().damage.empty() && fits;
  if (torn && pieces.size() == 1) return CutEnd(pieces.back().damage);
  if (torn) pieces.pop_back();  // found again after the others
  std::size_t done = 0;
  for (const SalvagedPiece& piece : pieces) {
    const std::size_t from = begin + piece.begin;
    if (piece.damage.empty()) {
      const std::size_t size = piece.end - piece.begin;
      JsonObject object = *JsonObject::Parse(window.substr(from, size));
      cuts_.push_back({RecordPiece::Kind::kRecord, from - done, size, {}, std::move(object), {}});
    } else {
      CutDamage(from - done, begin + piece.end - done, piece.damage);
    }
    done = begin + piece.end;
  }
}

// `begin`, `end`: from the end of the previous cut.
void RecordReader::CutDamage(std::size_t begin, std::size_t end, std::string_view reason) {
  std::size_t lead = std::min(begin, kMaxDamageBytes);
  for (std::size_t at = begin; at < end; lead = 0) {
    const std::size_t size = std::min(end - at, kMaxDamageBytes);
    cuts_.push_back({RecordPiece::Kind::kDamage, lead, size, reason, {}, {}});
    at += size;
  }
}

}  // namespace turnlog
