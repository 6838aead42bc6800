#include "migrate/records/record_template.h"

#include <algorithm>
#include <utility>

#include "migrate/records/foreign_event.h"
#include "schema/event/template_marks.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

std::string_view ContentOf(const EventView& event) {
  if (const auto* request = std::get_if<ChatRequestView>(&event.body)) return request->content;
  if (const auto* response = std::get_if<ChatResponseView>(&event.body)) return response->content;
  if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) return result->content;
  return {};
}

std::string_view ArgumentsOf(const EventView& event) {
  const auto* call = std::get_if<ToolCallRequestView>(&event.body);
  return call == nullptr ? std::string_view() : call->arguments.text();
}

std::string_view SummaryOf(const EventView& event) {
  const auto* compaction = std::get_if<VerbatimView>(&event.body);
  if (compaction == nullptr) return {};
  const JsonField outer = FindJsonField(compaction->json.text(), "summary").value_or(JsonField{});
  return FindJsonField(outer.value, "summary").value_or(JsonField{}).value;
}

// A verbatim event has its metadata in its object.
std::string_view OpaqueOf(const EventView& event) {
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  const std::string_view metadata = verbatim == nullptr
                                        ? event.metadata.text()
                                        : FindJsonField(verbatim->json.text(), "metadata").value_or(JsonField{}).value;
  return FindJsonField(metadata, "opaque").value_or(JsonField{}).value;
}

void AppendSlot(Slot slot, const EventView& event, std::string& out) {
  switch (slot) {
    case Slot::kContent:
      return AppendJsonString(ContentOf(event), out);
    case Slot::kJson:
      out += ContentOf(event);
      return;
    case Slot::kArguments:
      out += ArgumentsOf(event);
      return;
    case Slot::kArgumentsText:
      return AppendJsonString(ArgumentsOf(event), out);
    case Slot::kInput:
      out += FindJsonField(ArgumentsOf(event), "input").value_or(JsonField{}).value;
      return;
    case Slot::kOpaque:
      out += OpaqueOf(event);
      return;
    case Slot::kSummary:
      out += SummaryOf(event);
      return;
    case Slot::kRecord:
      out += ReadForeign(event).value_or(std::string_view());
      return;
    case Slot::kText:
      if (const auto text = ReadForeign(event); text && text->starts_with('"')) out += UnescapeJson(*text);
      return;
  }
}

// Whether the slot reproduces `bytes`. Most bytes are those of a content, which are compared without being written.
bool Reproduces(Slot slot, const EventView& event, std::string_view bytes) {
  if (slot == Slot::kContent) return IsJsonStringOf(bytes, ContentOf(event));
  if (slot == Slot::kArguments) return bytes == ArgumentsOf(event);
  std::string text;
  AppendSlot(slot, event, text);
  return text == bytes;
}

// A search for one of several letters would ask for each letter of the text.
std::size_t FindMark(std::string_view text) {
  const auto is_mark = [](char letter) { return letter == kSlotMark || letter == kNextEvent; };
  return static_cast<std::size_t>(std::ranges::find_if(text, is_mark) - text.begin());
}

}  // namespace

std::string MakeTemplate(std::string_view lead, std::string_view record, std::vector<TemplateSlot> slots,
                         std::span<const Event> events) {
  std::string out(lead);
  std::ranges::sort(slots, {}, &TemplateSlot::begin);
  std::size_t done = 0;
  std::size_t current = 0;
  for (const TemplateSlot& slot : slots) {
    if (slot.begin < done || slot.event < current) continue;
    const std::string_view bytes = record.substr(slot.begin, slot.end - slot.begin);
    if (!slot.reproduces && !Reproduces(slot.slot, View(events[slot.event]), bytes)) continue;
    out += record.substr(done, slot.begin - done);
    out.append(slot.event - current, kNextEvent);
    current = slot.event;
    out.append({kSlotMark, static_cast<char>(slot.slot)});
    done = slot.end;
  }
  out += record.substr(done);
  out.append(events.size() - 1 - current, kNextEvent);
  return out;
}

void TemplateFiller::Add(const EventView& event, std::string& out) {
  if (!std::exchange(in_first_, false) && rest_.starts_with(kNextEvent)) rest_.remove_prefix(1);
  for (;;) {
    const std::size_t mark = FindMark(rest_);
    out += rest_.substr(0, mark);
    rest_.remove_prefix(mark);
    if (rest_.empty() || rest_.front() == kNextEvent) return;
    const std::size_t begin = out.size();
    const Slot slot = rest_.size() > 1 ? static_cast<Slot>(rest_[1]) : Slot();
    if (rest_.size() > 1) AppendSlot(slot, event, out);
    if (slot == Slot::kOpaque && out.size() == begin) {
      missing_seals_.push_back(begin);
      out += "null";
    }
    rest_.remove_prefix(std::min<std::size_t>(rest_.size(), 2));
  }
}

}  // namespace turnlog
