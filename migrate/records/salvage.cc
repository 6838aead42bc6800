#include "migrate/records/salvage.h"

#include <algorithm>

#include "base/utf8.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// Finds records within a line. Every search reads the line up to its end in the worst case, so their total is bounded.
class Salvage {
 public:
  Salvage(std::string_view line, const IsRecord& is_record, bool may_go_on)
      : line_(line), is_record_(is_record), may_go_on_(may_go_on), budget_(kReads * line.size()) {}

  std::vector<SalvagedPiece> Run() {
    for (std::size_t at = SkipJsonSpace(line_, 0); at < line_.size(); at = SkipJsonSpace(line_, at)) {
      const bool at_boundary = pieces_.empty() || pieces_.back().damage.empty();
      const std::size_t end = RecordAt(at, at_boundary);
      const bool goes_on = end == at && may_go_on_ && at_boundary && RunsOff(at);
      const std::size_t next = end > at ? end : goes_on ? line_.size() : NextRecord(at + 1);
      pieces_.push_back({at, next, end > at ? std::string_view() : Damage(at)});
      at = next;
    }
    return std::move(pieces_);
  }

 private:
  static constexpr std::size_t kReads = 4;

  // The end of the record at `at`, or `at` if there is none. Anywhere but at the end of another record or at the
  // beginning of the line, an object may be a part of a torn record; there, and before other text, the format must
  // recognise it.
  std::size_t RecordAt(std::size_t at, bool at_boundary) {
    if (at >= line_.size() || line_[at] != '{' || budget_ == 0) return at;
    const JsonEnd end = ScanJson(line_, at);
    const std::size_t read = (end ? *end : end.error().byte) - at;
    budget_ -= std::min(budget_, read + 1);
    if (!end) return at;
    const bool ends = Ends(*end);
    const std::string_view text = line_.substr(at, *end - at);
    if ((!ends && !at_boundary) || !IsUtf8(text)) return at;
    if (ends && at_boundary) return *end;
    const auto object = JsonObject::Parse(text);
    return object && is_record_(*object) ? *end : at;
  }

  // Whether a record can end here: not within another value.
  bool Ends(std::size_t end) const {
    const std::size_t next = SkipJsonSpace(line_, end);
    return next == line_.size() || line_[next] == '{' || line_[next] == '\0';
  }

  // Whether the end of what begins here may not have been written yet. What it has within it is then no record.
  bool RunsOff(std::size_t at) const {
    const JsonEnd end = line_[at] == '{' ? ScanJson(line_, at) : JsonEnd(at);
    const std::string_view fault = end ? std::string_view() : end.error().what;
    return fault == kJsonEndsEarly || fault == kJsonStringEndsEarly;
  }

  std::size_t NextRecord(std::size_t from) {
    for (std::size_t at = line_.find("{\"", from); at < line_.size(); at = line_.find("{\"", at + 1)) {
      if (RecordAt(at, false) > at) return at;
    }
    return line_.size();
  }

  std::string_view Damage(std::size_t at) const {
    if (line_[at] == '\0') return "NUL bytes";
    if (line_[at] != '{') return "not a JSON object";
    const JsonEnd end = ScanJson(line_, at);
    if (!end) return end.error().what;
    return IsUtf8(line_.substr(at, *end - at)) ? "more text after the value" : "not valid UTF-8";
  }

  std::string_view line_;
  const IsRecord& is_record_;
  const bool may_go_on_;
  std::size_t budget_;  // bytes that may still be read
  std::vector<SalvagedPiece> pieces_;
};

bool IsSurrogateEscape(std::string_view text, std::size_t at) {
  return text.size() - at >= 6 && text[at + 1] == 'u' && (text[at + 2] == 'd' || text[at + 2] == 'D');
}

}  // namespace

std::vector<SalvagedPiece> SalvageLine(std::string_view line, const IsRecord& is_record, bool may_go_on) {
  return Salvage(line, is_record, may_go_on).Run();
}

std::optional<std::string> RepairText(std::string_view line) {
  std::string repaired;
  bool changed = false;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t length = 1;
    bool valid = true;
    if (line[at] == '\\') {
      const auto escape = ReadUnicodeEscape(line, at);
      valid = escape || !IsSurrogateEscape(line, at);
      length = escape ? escape->length : std::min<std::size_t>(valid ? 2 : 6, line.size() - at);
    } else if (static_cast<unsigned char>(line[at]) >= 0x80) {
      const auto code = DecodeUtf8(line.substr(at, 4));
      valid = code.has_value();
      length = code ? code->bytes : 1;
    }
    repaired += valid ? line.substr(at, length) : kReplacementCharacter;
    changed |= !valid;
    at += length;
  }
  if (!changed || !repaired.starts_with('{') || FindJsonFault(repaired)) return std::nullopt;
  return repaired;
}

}  // namespace turnlog
