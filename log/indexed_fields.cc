#include "log/indexed_fields.h"

#include <cstring>

#include "base/try.h"
#include "schema/event/codec.h"
#include "turnlog/repair.h"

namespace turnlog {

namespace {

IndexedFields FieldsOf(EventKind kind, const EventLabel& label, std::uint64_t payload_bytes, std::uint64_t salt) {
  IndexedFields fields{.kind = kind, .bytes = payload_bytes, .time = label.time};
  if (label.event_id) fields.event_id = HashId(*label.event_id, salt);
  if (!label.inquiry) return fields;
  fields.inquiry = HashId(label.inquiry->id, salt);
  fields.secret = label.inquiry->secret;
  fields.answered = label.inquiry->answered;
  return fields;
}

}  // namespace

IndexedFields IndexedFieldsOf(const EventView& event, std::uint64_t payload_bytes, std::uint64_t salt) {
  const EventLabel label{event.timestamp, event.event_id, InquiryLabelOf(event)};
  IndexedFields fields = FieldsOf(event.kind(), label, payload_bytes, salt);
  if (const auto* repair = std::get_if<RepairView>(&event.body)) {
    fields.repair = {repair->from, repair->to};
  } else if (fields.kind == EventKind::kRepair) {  // the form of older writers
    if (const auto read = ReadRepair(event)) fields.repair = {read->from, read->to};
  }
  return fields;
}

Result<IndexedFields> DecodeIndexedFields(EventKind kind, std::string_view payload, std::uint64_t salt) {
  if (kind == EventKind::kRepair) return IndexedFieldsOf(TURNLOG_TRY(DecodeEvent(payload)), payload.size(), salt);
  return FieldsOf(kind, TURNLOG_TRY(DecodeLabel(payload)), payload.size(), salt);
}

IndexedFields IndexedFieldsOf(const EncodedEvent& event, std::uint64_t salt) {
  // value() is safe: DecodeEvent accepts what EncodeEvent has made.
  return DecodeIndexedFields(event.kind, event.payload, salt).value();
}

std::string_view ChangedField(const IndexedFields& was, const IndexedFields& is) {
  if (was.kind != is.kind) return "kind";
  if (was.time != is.time) return "timestamp";
  if (was.event_id != is.event_id) return "event_id";
  if (was.inquiry != is.inquiry) return "inquiry id";
  if (was.secret != is.secret) return "answer type";
  if (was.repair != is.repair) return "range";
  return {};
}

bool HasInquiryId(const EventView& event, const InquiryIdView& id) {
  const InquiryIdView* stored = nullptr;
  if (const auto* request = std::get_if<InquiryRequestView>(&event.body)) stored = &request->id;
  if (const auto* response = std::get_if<InquiryResponseView>(&event.body)) stored = &response->id;
  if (stored == nullptr || stored->text != id.text) return false;
  return !id.key || stored->key == id.key;
}

std::string OpenInquiryKey(const Hash128& inquiry) {
  std::string key(sizeof inquiry, '\0');
  std::memcpy(key.data(), &inquiry.low, sizeof inquiry.low);
  std::memcpy(key.data() + sizeof inquiry.low, &inquiry.high, sizeof inquiry.high);
  return key;
}

}  // namespace turnlog
