#include "migrate/jp/modern_writer.h"

#include "migrate/jp/array.h"
#include "migrate/jp/loadable.h"
#include "migrate/jp/message_pair.h"
#include "migrate/jp/time.h"
#include "migrate/jp/writer.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

using Text = std::string_view;

// Without what only older layouts had; empty if nothing else is left.
std::string WithoutPair(Text metadata) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  for (JsonFields each(metadata); each.Next().value_or(false);) {
    if (!each.KeyIs(kMessagePair)) json.Value().append(each.key()).append(":").append(each.value());
  }
  json.EndObject();
  return text == "{}" ? std::string() : text;
}

// jp refuses elements without a time.
std::string WithTime(Text element, Timestamp time) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("timestamp", FormatJpTime(time));
  for (JsonFields each(element); each.Next().value_or(false);) {
    if (!each.KeyIs("timestamp")) json.Value().append(each.key()).append(":").append(each.value());
  }
  json.EndObject();
  return text;
}

}  // namespace

void JpModernWriter::Add(const EventView& event) {
  if (config_.empty()) config_ = ConfigOfPair(event);
  if (event.timestamp) time_ = *event.timestamp;
  if (!Loads(event)) {
    ++left_out_;
    return;
  }
  out_ += CanonicalLead(first_);
  first_ = false;
  Write(event);
}

// The answer to a question that was left out is left out, too.
bool JpModernWriter::Loads(const EventView& event) {
  const bool loads = layout_ == ExportLayout::kJpMain ? JpMainLoads(event) : JpLoads(event);
  if (const auto* request = std::get_if<BasicInquiryRequest<Text>>(&event.body)) {
    const Hash128 id = HashId(request->id.text, 0);
    loads ? left_out_questions_.erase(id) : left_out_questions_.insert(id).second;
  }
  const auto* response = std::get_if<BasicInquiryResponse<Text>>(&event.body);
  return loads && (response == nullptr || !left_out_questions_.contains(HashId(response->id.text, 0)));
}

void JpModernWriter::Write(EventView event) {
  if (const auto* verbatim = std::get_if<BasicVerbatim<Text>>(&event.body)) {
    const bool dated = FindJsonString(verbatim->json.text(), "timestamp").has_value();
    return AppendPretty(dated ? verbatim->json.text() : WithTime(verbatim->json.text(), time_), 1, out_);
  }
  event.timestamp = time_;
  if (event.metadata.text().contains(kMessagePair)) {
    scratch_ = WithoutPair(event.metadata.text());
    event.metadata = JsonView::FromTrusted(scratch_);
  }
  if (event.kind() == EventKind::kTurnStart) event.extra = {};  // jp refuses any
  const bool flat = layout_ == ExportLayout::kJpMain;
  AppendJpElement(event, out_, flat ? InquiryForm::kFlat : InquiryForm::kTagged);
}

void JpModernWriter::Finish() { out_ += CanonicalTrailer(first_); }

}  // namespace turnlog
