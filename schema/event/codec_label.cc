// What indexes need of an encoded event, without the rest of it.
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/try.h"
#include "event_generated.h"
#include "schema/event/codec.h"
#include "schema/event/stored_event.h"

namespace turnlog {
namespace {

using namespace stored_event;
using flatbuffers::Table;
using flatbuffers::Verifier;
using Field = flatbuffers::voffset_t;

// FlatBuffers' own check of the root table, if `holds` says so of the fields that are asked for.
bool HasSoundRoot(std::string_view payload, const auto& holds) {
  Verifier verifier = VerifierOf(payload, {});
  if (verifier.VerifyOffset(0) == 0) return false;
  const auto& root = *flatbuffers::GetRoot<Table>(payload.data());
  return root.VerifyTableStart(verifier) && holds(root, verifier);
}

bool HasSoundTime(const Table& root, const Verifier& verifier) {
  return root.VerifyField<std::int64_t>(verifier, fbs::Event::VT_TIMESTAMP, sizeof(std::int64_t));
}

bool HasSoundOptionalText(const Table& table, Field field, const Verifier& verifier) {
  return table.VerifyOffset(verifier, field) &&
         verifier.VerifyString(table.GetPointer<const flatbuffers::String*>(field));
}

bool HasSoundText(const Table& table, Field field, const Verifier& verifier) {
  return table.VerifyOffsetRequired(verifier, field) &&
         verifier.VerifyString(table.GetPointer<const flatbuffers::String*>(field));
}

bool HasSoundByte(const Table& table, Field field, const Verifier& verifier) {
  return table.VerifyField<std::uint8_t>(verifier, field, sizeof(std::uint8_t));
}

// Null if it is not there, or its beginning is not sound.
const Table* SoundTable(const Table& table, Field field, Verifier& verifier) {
  if (!table.VerifyOffsetRequired(verifier, field)) return nullptr;
  const auto* const inner = table.GetPointer<const Table*>(field);
  return inner->VerifyTableStart(verifier) ? inner : nullptr;
}

bool HasSoundInquiryId(const Table& body, Field field, Verifier& verifier) {
  const Table* const id = SoundTable(body, field, verifier);
  return id != nullptr && HasSoundText(*id, fbs::InquiryId::VT_TEXT, verifier);
}

bool IsSoundRequest(const Table& body, Verifier& verifier) {
  const auto* const question = SoundTable(body, fbs::InquiryRequest::VT_QUESTION, verifier);
  if (question == nullptr || !HasSoundOptionalText(*question, fbs::Question::VT_DEFAULT_VALUE, verifier)) return false;
  const auto* const type = SoundTable(*question, fbs::Question::VT_ANSWER_TYPE, verifier);
  return type != nullptr && HasSoundByte(*type, fbs::AnswerType::VT_KIND, verifier) &&
         HasSoundInquiryId(body, fbs::InquiryRequest::VT_ID, verifier);
}

bool IsSoundResponse(const Table& body, Verifier& verifier) {
  return HasSoundByte(body, fbs::InquiryResponse::VT_OUTCOME, verifier) &&
         HasSoundInquiryId(body, fbs::InquiryResponse::VT_ID, verifier);
}

// Of what InquiryLabel has. True if it is another event.
bool HasSoundInquiry(const Table& root, Verifier& verifier) {
  if (!HasSoundByte(root, fbs::Event::VT_BODY_TYPE, verifier)) return false;
  const fbs::Body kind = fbs::Body{root.GetField<std::uint8_t>(fbs::Event::VT_BODY_TYPE, 0)};
  if (kind != fbs::Body::InquiryRequest && kind != fbs::Body::InquiryResponse) return true;
  const auto* const body = SoundTable(root, fbs::Event::VT_BODY, verifier);
  if (body == nullptr) return false;
  return kind == fbs::Body::InquiryRequest ? IsSoundRequest(*body, verifier) : IsSoundResponse(*body, verifier);
}

Result<std::optional<InquiryLabel>> InquiryLabelOf(const fbs::Event& stored) {
  if (const auto* const request = stored.body_as_InquiryRequest()) {
    const fbs::Question& question = *request->question();
    const AnswerKind kind = TURNLOG_TRY(ToEnum<AnswerKind>(question.answer_type()->kind(), "answer type"));
    return InquiryLabel{.id = Text(request->id()->text()),
                        .secret = kind == AnswerKind::kSecret,
                        .has_default = !Text(question.default_value()).empty()};
  }
  if (const auto* const response = stored.body_as_InquiryResponse()) {
    const Outcome outcome = TURNLOG_TRY(ToEnum<Outcome>(response->outcome(), "outcome of an inquiry"));
    return InquiryLabel{.id = Text(response->id()->text()), .answered = outcome == Outcome::kAnswered};
  }
  return std::nullopt;
}

}  // namespace

std::optional<InquiryLabel> InquiryLabelOf(const EventView& event) {
  if (const auto* request = std::get_if<InquiryRequestView>(&event.body)) {
    return InquiryLabel{.id = request->id.text,
                        .secret = request->question.answer_type.kind == AnswerKind::kSecret,
                        .has_default = !request->question.default_value.empty()};
  }
  const auto* response = std::get_if<InquiryResponseView>(&event.body);
  if (response == nullptr) return std::nullopt;
  return InquiryLabel{.id = response->id.text, .answered = response->outcome == Outcome::kAnswered};
}

Result<EventLabel> DecodeLabel(std::string_view payload) {
  TURNLOG_TRY(CheckPayload(payload));
  const auto holds = [](const auto& root, auto& verifier) {
    return HasSoundTime(root, verifier) && HasSoundOptionalText(root, fbs::Event::VT_EVENT_ID, verifier) &&
           HasSoundInquiry(root, verifier);
  };
  if (!HasSoundRoot(payload, holds)) return Corrupt("broken structure");
  const fbs::Event& stored = *fbs::GetEvent(payload.data());
  return EventLabel{TimeOf(stored), Optional(stored.event_id()), TURNLOG_TRY(InquiryLabelOf(stored))};
}

Result<std::optional<Timestamp>> DecodeTime(std::string_view payload) {
  TURNLOG_TRY(CheckPayload(payload));
  if (!HasSoundRoot(payload, HasSoundTime)) return Corrupt("broken structure");
  return TimeOf(*fbs::GetEvent(payload.data()));
}

}  // namespace turnlog
