#include "migrate/records/element_reader.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "migrate/records/piece_reader.h"

namespace turnlog {
namespace {

// How far an element is searched for after damage.
constexpr std::size_t kMaxSearchBytes = 4 * kMaxDamageBytes;

// Any other damaged element may be all that follows.
bool IsBracketed(std::string_view element) { return element.starts_with('{') || element.starts_with('['); }

}  // namespace

Result<ElementPiece> ElementReader::Next() {
  bytes_.Consume(std::exchange(consume_, 0));
  if (damaged_ > 0) return NextDamage();
  if (found_) return TakeFound();
  if (in_rest_) return End(end_reason_);
  if (lost_) return Recover(reason_);
  for (;; (void)TURNLOG_TRY(More())) {
    const auto piece = Cut();
    if (!piece && piece.error().torn && IsCut()) return End(piece.error().reason);
    if (!piece) return Recover(piece.error().reason);
    if (piece->kind == ArrayPiece::Kind::kTrailer) return End({});
    const bool is_element = piece->kind == ArrayPiece::Kind::kElement;
    if (is_element && reads_ && reads_(piece->element)) return Element(piece->element, {});
    const auto fault = is_element ? FindJsonFault(piece->element.text) : std::nullopt;
    if (is_element && !fault && !IsStrayString(*piece)) return Element(piece->element, {});
    if (fault && !is_element_ && !IsBracketed(piece->element.text)) return Recover(fault->what);
    const auto next = FindAfterFault(*piece);
    if (next) return ContinueAt(*next);
    if (is_element && (at_end_ || next.error() != NotFound::kCut)) return Element(piece->element, fault);
    if (bytes_.window().size() > kMaxRecordBytes) return Recover("longer than any event");
  }
}

Result<ElementPiece> ElementReader::NextWithoutArray(std::string_view reason) {
  in_array_ = false;
  return Recover(reason);
}

std::expected<ArrayPiece, BadText> ElementReader::Cut() const {
  const std::string_view window = bytes_.window();
  const std::size_t mark = first_ && window.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  auto piece = CutArray(window.substr(mark), first_, at_end_, in_object_);
  if (piece) piece->element.lead = window.substr(0, mark + piece->element.lead.size());
  return piece;
}

// Whether the window begins with a string that ends where another value goes on: its first quote is damage, and may
// hide the beginning of an element.
bool ElementReader::IsStrayString(const ArrayPiece& piece) const {
  const std::string_view window = bytes_.window();
  const std::size_t next = SkipJsonSpace(window, piece.element.lead.size() + piece.element.text.size());
  return piece.element.text.starts_with('"') && next < window.size() && window[next] != ',' && window[next] != ']';
}

// Whether the text may go on after the window, or ends unlike a whole document: then an element that seems to have no
// end is no damaged one.
bool ElementReader::IsCut() const {
  const std::size_t last = bytes_.window().find_last_not_of(" \t\r\n");
  return !at_end_ || last == std::string_view::npos || bytes_.window()[last] != (in_object_ ? '}' : ']');
}

Result<bool> ElementReader::More() {
  const std::size_t had = bytes_.window().size();
  const bool more = TURNLOG_TRY(bytes_.More());
  budget_ += SearchBudget(bytes_.window().size() - had);
  at_end_ = !more;
  return more;
}

std::expected<FoundElement, NotFound> ElementReader::Find(std::size_t from, std::size_t to) {
  if (!is_element_) return std::unexpected(NotFound::kNone);
  return FindElement(bytes_.window(), {from, to, in_array_, IsCut()}, is_element_, budget_);
}

// The element after the one that the window begins with, if that is damaged: it may seem to have no end, or to contain
// the elements after it.
std::expected<FoundElement, NotFound> ElementReader::FindAfterFault(const ArrayPiece& piece) {
  const std::string_view window = bytes_.window();
  const bool has_end = piece.kind == ArrayPiece::Kind::kElement;
  const std::size_t begin = has_end ? piece.element.lead.size() : LeadLength(window);
  const std::size_t end = has_end ? begin + piece.element.text.size() : window.size();
  if (begin >= window.size() || window[begin] == ']') return std::unexpected(NotFound::kNone);
  const JsonEnd sound = ScanJson(window.substr(0, end), begin);
  if (has_end && IsStrayString(piece)) return Find(begin + 1, end);
  if (sound || (!has_end && !IsFinal(sound.error(), window))) return std::unexpected(NotFound::kNone);
  return Find(begin + 1, end);
}

// The bytes up to the next element, or all that follow.
Result<ElementPiece> ElementReader::Recover(std::string_view reason) {
  lost_ = false;
  for (;;) {
    if (const auto found = Find(0, bytes_.window().size())) {
      found_ = *found;
      return Damage(found->lead, reason);
    }
    lost_ = bytes_.window().size() > kMaxSearchBytes;
    if (lost_) return Damage(kMaxDamageBytes, reason);
    if (!TURNLOG_TRY(More())) return End(reason);
  }
}

// What precedes the element that was found is a damaged element, or damage between elements.
ElementPiece ElementReader::ContinueAt(const FoundElement& found) {
  const std::string_view window = bytes_.window();
  const std::size_t lead = LeadLength(window);
  if (lead < found.lead && HasMark(window.substr(0, lead)) && window[found.lead] == ',') {
    const std::string_view text = window.substr(lead, found.lead - lead);
    if (const auto fault = FindJsonFault(text)) return Element({window.substr(0, lead), text}, fault);
  }
  found_ = found;
  return Damage(found.lead, "damage between elements");
}

ElementPiece ElementReader::Element(const RawElement& element, std::optional<JsonFault> fault) {
  const auto [lead, text] = element;
  if (fault && text.size() > kMaxDamageBytes && !ScanJson(text)) return Damage(lead.size() + text.size(), fault->what);
  first_ = false;
  consume_ = lead.size() + text.size();
  return {.kind = ElementPiece::Kind::kElement,
          .lead = lead,
          .text = text,
          .fault = fault,
          .reason = {},
          .offset = bytes_.offset() + lead.size()};
}

ElementPiece ElementReader::TakeFound() {
  const std::string_view window = bytes_.window();
  const FoundElement found = *std::exchange(found_, std::nullopt);
  const std::string_view text = window.substr(found.begin, found.end - found.begin);
  in_array_ = true;
  return Element({window.substr(0, found.begin), text}, FindJsonFault(text));
}

ElementPiece ElementReader::Damage(std::size_t size, std::string_view reason) {
  damaged_ = size;
  reason_ = reason;
  return NextDamage();
}

ElementPiece ElementReader::NextDamage() {
  first_ = false;
  consume_ = std::min(damaged_, kMaxDamageBytes);
  damaged_ -= consume_;
  if (found_) found_ = FoundElement{found_->lead - consume_, found_->begin - consume_, found_->end - consume_};
  return {.kind = ElementPiece::Kind::kDamage,
          .lead = {},
          .text = bytes_.window().substr(0, consume_),
          .fault = {},
          .reason = reason_,
          .offset = bytes_.offset()};
}

ElementPiece ElementReader::End(std::string_view reason) {
  const std::string_view rest = bytes_.window();
  in_rest_ = true;
  end_reason_ = reason;
  if (rest.size() > kMaxDamageBytes) {
    return Damage(kMaxDamageBytes, reason.empty() ? "too much follows the last element" : reason);
  }
  return {.kind = ElementPiece::Kind::kEnd,
          .lead = {},
          .text = rest,
          .fault = {},
          .reason = reason,
          .offset = bytes_.offset()};
}

}  // namespace turnlog
