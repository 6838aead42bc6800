#include "migrate/compare/mended_record.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "base/compact_json.h"
#include "base/hash.h"
#include "migrate/compare/event_meaning.h"
#include "migrate/logged/quarantine.h"
#include "migrate/records/foreign_event.h"
#include "migrate/records/json_object.h"
#include "migrate/records/mended_texts.h"
#include "sanitize/redaction/redacted_text.h"

namespace turnlog {
namespace {

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos; }

// The end of the text of doctor's own that begins at text[at], in place of what is not there any more; `at`: there is
// none.
std::size_t EndOfMark(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with(kRedactionMark)) return at + kRedactionMark.size();
  if (!rest.starts_with(kRefusedImage)) return at;
  const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", kRefusedImage.size());
  return end != std::string_view::npos && rest[end] == ']' ? at + end + 1 : at;
}

// Where the next one begins, or the size of the text.
std::size_t FindMark(std::string_view text, std::size_t at) {
  while ((at = text.find('[', at)) != std::string_view::npos && EndOfMark(text, at) == at) ++at;
  return std::min(at, text.size());
}

// Whether the texts are equal but for what marks in `now` have replaced.
bool IsEqualButForMarks(std::string_view before, std::string_view now) {
  std::size_t mark = FindMark(now, 0);
  if (!before.starts_with(now.substr(0, mark))) return false;
  std::size_t done = mark;
  while (mark < now.size()) {
    const std::size_t begin = EndOfMark(now, mark);
    mark = FindMark(now, begin);
    const std::string_view between = now.substr(begin, mark - begin);
    const bool last = mark == now.size();
    const std::size_t found =
        last ? before.size() - std::min(before.size(), between.size()) : before.find(between, done);
    if (found == std::string_view::npos || found < done || !before.substr(found).starts_with(between)) return false;
    done = found + between.size();
  }
  return done == before.size();
}

// A call whose id was taken gets another one: "<id>_<number>".
bool IsRenamed(std::string_view before, std::string_view now) {
  if (!now.starts_with(before) || now.size() < before.size() + 2 || now[before.size()] != '_') return false;
  now.remove_prefix(before.size() + 1);
  return std::ranges::all_of(now, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

bool IsReasoning(const EventView& event) {
  const auto* response = std::get_if<ChatResponseView>(&event.body);
  return response != nullptr && response->part == ChatPart::kReasoning;
}

bool IsInterruptedResult(const EventView& event) {
  const auto* result = std::get_if<ToolCallResponseView>(&event.body);
  return result != nullptr && result->is_error && result->content == kInterruptedCall;
}

// The fields of a record that doctor writes anew: what is before it, its number, the name of its folder, and the types
// of its images.
void LeaveOut(std::string_view field, const JsonObject& object, std::string& text) {
  const std::string_view value = object[field];
  if (value.empty()) return;
  text.replace(static_cast<std::size_t>(value.data() - object.text().data()), value.size(), "0");
}

std::string WithoutLinks(std::string_view record) {
  std::string text(record);
  for (const std::string_view field : {"parentUuid", "ordinal", "cwd"}) {
    const std::string before = text;
    LeaveOut(field, JsonObject::OfValid(before), text);
  }
  const std::string before = text;
  const JsonObject object = JsonObject::OfValid(before);
  std::string payload(object["payload"]);
  if (!payload.starts_with('{')) return CompactJson(text);
  const std::string inner = payload;
  LeaveOut("cwd", JsonObject::OfValid(inner), payload);
  text.replace(static_cast<std::size_t>(object["payload"].data() - before.data()), object["payload"].size(), payload);
  return CompactJson(text);
}

void LeaveOutImageTypes(std::string& record) {
  constexpr std::string_view kImage = "image/";
  for (std::size_t at = 0; (at = record.find(kImage, at)) != std::string::npos; ++at) {
    const std::size_t end = record.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at + kImage.size());
    record.erase(at, std::min(end, record.size()) - at);
  }
}

bool IsMendedForeign(const EventView& stored, const EventView& now) {
  const auto record = ReadForeign(stored), mended = ReadForeign(now);
  if (!record || !mended || stored.timestamp != now.timestamp) return false;
  std::string before = WithoutLinks(*record), after = WithoutLinks(*mended);
  if (IsEqualButForMarks(before, after)) return true;
  LeaveOutImageTypes(before);
  LeaveOutImageTypes(after);
  return before == after;
}

// The text of a message of the developer, in which Codex's outputs are kept; blocks are joined by line breaks.
std::string DeveloperText(const EventView& event) {
  const auto record = ReadForeign(event);
  if (!record) return {};
  const JsonObject object = JsonObject::OfValid(*record);
  const JsonObject row = object.Object("message_data");  // of the Agents SDK
  const JsonObject item = !object["payload"].empty() ? object.Object("payload") : row.text().empty() ? object : row;
  std::string text;
  if (item.String("role") != "developer") return text;
  for (const std::string_view part : ElementsOf(item["content"])) {
    text += (text.empty() ? "" : "\n") + JsonObject::OfValid(part).String("text").value_or(std::string(part));
  }
  return text;
}

// A result without its call becomes a text of the user or the developer.
bool IsKeptAsText(const ToolCallResponseView& result, const EventView& now) {
  const auto* request = std::get_if<ChatRequestView>(&now.body);
  const std::string developer = request == nullptr ? DeveloperText(now) : std::string();
  std::string_view text = request == nullptr ? developer : request->content;
  if (!text.starts_with(kStrayResult)) return false;
  text.remove_prefix(kStrayResult.size());
  if (text.starts_with('\n')) text.remove_prefix(1);
  return IsEqualButForMarks(result.content, text) || (IsBlank(result.content) && IsBlank(text));
}

bool IsWrittenFor(const ToolCallResponseView& stored, const ToolCallResponseView& now) {
  return IsBlank(stored.content) &&
         (now.content == kFailedWithoutMessage || now.content == kNoOutput || now.content == kInterruptedCall);
}

// Takes out of `now` what doctor may have written.
void TakeBack(const EventView& stored, EventView& now) {
  if (auto* call = std::get_if<ToolCallRequestView>(&now.body)) {
    const auto& before = std::get<ToolCallRequestView>(stored.body);
    if (IsRenamed(before.id, call->id)) call->id = before.id;
  } else if (auto* result = std::get_if<ToolCallResponseView>(&now.body)) {
    const auto& before = std::get<ToolCallResponseView>(stored.body);
    if (IsRenamed(before.id, result->id)) result->id = before.id;
    if (IsWrittenFor(before, *result))
      std::tie(result->content, result->is_error) = std::tie(before.content, before.is_error);
  } else if (auto* response = std::get_if<ChatResponseView>(&now.body); response != nullptr && IsReasoning(stored)) {
    if (IsReasoning(now) && IsBlank(response->content))
      response->content = std::get<ChatResponseView>(stored.body).content;
  }
}

// An element of jp that could not be read, with a kind that jp does not know.
bool IsOfUnknownKind(const EventView& stored, const EventView& now) {
  const auto piece = ReadQuarantined(stored);
  const auto* element = std::get_if<VerbatimView>(&now.body);
  if (!piece || element == nullptr || !element->tag.starts_with(kUnreadableKind)) return false;
  std::string before = piece->raw, after(element->json.text());
  const auto object = JsonObject::Parse(piece->raw);
  if (!object || object->String("type") != element->tag.substr(kUnreadableKind.size())) return false;
  LeaveOut("type", *object, before);
  LeaveOut("type", JsonObject::OfValid(element->json.text()), after);
  return CompactJson(before) == CompactJson(after);
}

bool IsMendedEvent(EventView stored, EventView now, const Format& format) {
  stored.event_id.reset();
  now.event_id.reset();
  if (MeanTheSame(stored, now, format) || IsMendedForeign(stored, now) || IsOfUnknownKind(stored, now)) return true;
  const auto* result = std::get_if<ToolCallResponseView>(&stored.body);
  if (result != nullptr && IsKeptAsText(*result, now)) return true;
  const auto* text = std::get_if<ChatRequestView>(&now.body);
  const bool is_image = text != nullptr && ReadForeign(stored) && EndOfMark(text->content, 0) == text->content.size();
  if (is_image) return true;
  if (stored.kind() != now.kind()) return false;
  TakeBack(stored, now);
  return IsEqualButForMarks(MeaningOf(stored, format), MeaningOf(now, format));
}

// What doctor removes: thinking, and texts without letters. A text that gets a result before it begins no turn, and a
// call that gets one no longer asks.
bool MayBeMissing(const EventView& stored, bool gets_result) {
  const auto* response = std::get_if<ChatResponseView>(&stored.body);
  const bool asks = stored.kind() == EventKind::kTurnStart || stored.kind() == EventKind::kInquiryRequest;
  return IsReasoning(stored) || (response != nullptr && IsBlank(response->content)) || (gets_result && asks);
}

}  // namespace

bool IsMendedRecord(std::span<const EventView> stored, std::span<const EventView> now, const Format& format,
                    const MovedResults& moved) {
  const auto comes = [&](const EventView& event) { return IsInterruptedResult(event) || moved.may_come(event); };
  const bool gets_result = std::ranges::any_of(now, comes);
  const auto may_be_missing = [&](const EventView& event) {
    return MayBeMissing(event, gets_result) || moved.has_gone(event);
  };
  std::size_t next = 0;
  bool same = false;  // some event of it
  for (const EventView& event : now) {
    const auto is_event = [&](const EventView& other) { return IsMendedEvent(other, event, format); };
    std::size_t at = next;
    while (at < stored.size() && !is_event(stored[at]) && may_be_missing(stored[at])) ++at;
    if (at < stored.size() && is_event(stored[at])) {
      next = at + 1;
      same = true;
    } else if (!comes(event) && event.kind() != EventKind::kTurnStart) {  // which another record has begun
      return false;
    }
  }
  return same && std::ranges::all_of(stored.subspan(next), may_be_missing);
}

std::uint64_t HashButForNumber(EventView event, const Format& format, std::uint64_t before) {
  event.event_id.reset();
  const auto record = ReadForeign(event);
  if (!record) return Hash64(MeaningOf(event, format), before);
  std::string text(*record);
  LeaveOut("id", JsonObject::OfValid(*record), text);
  return Hash64(CompactJson(text), before);
}

bool IsRemovedRecord(std::span<const EventView> stored, const MovedResults& moved) {
  return std::ranges::all_of(stored, [&](const EventView& event) {
    if (moved.has_gone(event)) return true;
    const auto* request = std::get_if<ChatRequestView>(&event.body);
    return MayBeMissing(event, true) || (request != nullptr && IsBlank(request->content));
  });
}

}  // namespace turnlog
