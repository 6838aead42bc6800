#include "migrate/jp/element_reader.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "migrate/jp/array.h"
#include "migrate/records/piece_reader.h"

namespace turnlog {
namespace {

// How far an element is searched for after damage.
constexpr std::size_t kMaxSearchBytes = 4 * kMaxDamageBytes;

// Whether more text cannot mend the fault of a text that is not complete.
bool IsFinal(const JsonFault& fault, std::string_view text) {
  constexpr std::size_t kLongestToken = 12;  // of those that can be cut: two escapes of a surrogate pair
  return fault.byte + kLongestToken < text.size() && text[fault.byte] != '"';
}

}  // namespace

Result<JpPiece> JpElementReader::Next() {
  bytes_.Consume(std::exchange(consume_, 0));
  if (found_) return found_->lead > 0 ? Damage(found_->lead) : TakeFound();
  if (lost_) return Recover();
  for (bool whole = false;; whole = !TURNLOG_TRY(bytes_.More())) {
    const auto piece = Cut(whole);
    if (!piece) {
      reason_ = piece.error().reason;
      return Recover();
    }
    if (piece->kind == ArrayPiece::Kind::kTrailer) return End({});
    if (piece->kind == ArrayPiece::Kind::kElement) return Element(piece->element.lead, piece->element.text);
    if (const auto found = FindAfterFault()) return ContinueAt(*found);
    if (bytes_.window().size() > kMaxRecordBytes) {
      reason_ = "longer than any event";
      return Recover();
    }
  }
}

std::expected<ArrayPiece, BadText> JpElementReader::Cut(bool whole) const {
  const std::string_view window = bytes_.window();
  const std::size_t mark = first_ && window.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  auto piece = CutArray(window.substr(mark), first_, whole);
  if (piece) piece->element.lead = window.substr(0, mark + piece->element.lead.size());
  return piece;
}

// The element after the one that the window begins with, if that is damaged and so seems to have no end.
std::optional<FoundElement> JpElementReader::FindAfterFault() const {
  const std::string_view window = bytes_.window();
  const std::size_t begin = LeadLength(window);
  if (begin >= window.size()) return std::nullopt;
  const JsonEnd end = ScanJson(window, begin);
  if (end || !IsFinal(end.error(), window)) return std::nullopt;
  return FindElement(window, begin + 1, window.size());
}

JpPiece JpElementReader::Element(std::string_view lead, std::string_view text) {
  JpPiece piece{.kind = JpPiece::Kind::kElement, .lead = lead, .text = text, .fault = FindJsonFault(text)};
  // An element that has lost a quote or bracket may seem to contain the ones after it.
  if (piece.fault && !ScanJson(text)) {
    const auto found = FindElement(bytes_.window(), lead.size() + 1, lead.size() + text.size());
    if (found) return ContinueAt(*found);
  }
  first_ = false;
  piece.offset = bytes_.offset() + lead.size();
  consume_ = lead.size() + text.size();
  return piece;
}

// What precedes the element that was found is a damaged element, or damage between elements.
JpPiece JpElementReader::ContinueAt(const FoundElement& found) {
  const std::string_view window = bytes_.window();
  const std::size_t lead = LeadLength(window);
  if (lead < found.lead && HasMark(window.substr(0, lead)) && window[found.lead] == ',') {
    const std::string_view text = window.substr(lead, found.lead - lead);
    if (const auto fault = FindJsonFault(text)) {
      first_ = false;
      consume_ = found.lead;
      return {.kind = JpPiece::Kind::kElement,
              .lead = window.substr(0, lead),
              .text = text,
              .fault = fault,
              .offset = bytes_.offset() + lead};
    }
  }
  reason_ = "damage between elements";
  found_ = found;
  return Damage(found.lead);
}

// The bytes up to the next element, or all that follow.
Result<JpPiece> JpElementReader::Recover() {
  lost_ = false;
  for (;;) {
    found_ = FindElement(bytes_.window(), 0, bytes_.window().size());
    if (found_) return Damage(found_->lead);
    lost_ = bytes_.window().size() > kMaxSearchBytes;
    if (lost_) return Damage(kMaxDamageBytes);
    if (!TURNLOG_TRY(bytes_.More())) return End(reason_);
  }
}

JpPiece JpElementReader::TakeFound() {
  const std::string_view window = bytes_.window();
  const FoundElement found = *std::exchange(found_, std::nullopt);
  const std::string_view text = window.substr(found.begin, found.end - found.begin);
  consume_ = found.end;
  return {.kind = JpPiece::Kind::kElement,
          .lead = window.substr(0, found.begin),
          .text = text,
          .fault = FindJsonFault(text),
          .offset = bytes_.offset() + found.begin};
}

JpPiece JpElementReader::Damage(std::size_t size) {
  first_ = false;
  consume_ = std::min(size, kMaxDamageBytes);
  if (found_) found_ = FoundElement{found_->lead - consume_, found_->begin - consume_, found_->end - consume_};
  return {.kind = JpPiece::Kind::kDamage,
          .text = bytes_.window().substr(0, consume_),
          .reason = reason_,
          .offset = bytes_.offset()};
}

JpPiece JpElementReader::End(std::string_view reason) {
  const std::string_view rest = bytes_.window();
  lost_ = rest.size() > kMaxDamageBytes;
  if (lost_) return Damage(kMaxDamageBytes);
  return {.text = rest, .reason = reason, .offset = bytes_.offset()};
}

}  // namespace turnlog
