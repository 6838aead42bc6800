// Any bytes as the body of a request to a service: refused, or what it says lies within the body.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "remote/append_batch.h"
#include "remote/append_message.h"
#include "remote/event_batch.h"
#include "service/answer_body.h"
#include "service/encoded_body.h"
#include "service/event_lines.h"
#include "service/job_body.h"
#include "tests/fuzz/fuzz_target.h"
#include "turnlog/event_json.h"

namespace {

using namespace turnlog;

void RequireWithin(std::string_view part, std::string_view whole) {
  if (!part.empty()) Require(part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void ReadJson(std::string_view text) {
  if (const auto body = ReadAnswerBody(text)) {
    RequireWithin(body->answer, text);
    RequireWithin(body->arguments, text);
    for (const AnswerBody::ByText& each : body->answers) RequireWithin(each.answer, text);
  }
  if (const auto body = ReadJobBody(text)) Require(!body->kind.empty());
  AppendLines lines;
  if (!lines.Take(text.substr(0, text.size() / 2)) || !lines.Take(text.substr(text.size() / 2))) return;
  if (const auto events = lines.Events()) {
    for (const EventView& event : *events) Require(ParseEvent(ToJson(event)).has_value());
  }
}

void ReadEvents(std::string_view bytes) {
  const auto events = DecodeBatch(bytes);
  EncodedBody body(EncodedBody::Form::kEvents, std::nullopt);
  for (const char& byte : bytes) Require(body.Take({&byte, 1}).has_value());
  if (!events) return;
  Require(body.events() == events->size());
  std::vector<NumberedEvent> valid;
  std::ranges::copy_if(*events, std::back_inserter(valid),
                       [](const auto& each) { return Validate(each.event).has_value(); });
  const auto again = EncodeBatch(valid);
  if (!again) return;
  const auto same = DecodeBatch(again->view());
  Require(same && same->size() == valid.size());
}

void ReadAppends(std::string_view bytes) {
  const auto appends = SplitAppends(bytes);
  if (!appends) return;
  for (const BatchedAppend& append : *appends) {
    RequireWithin(append.conversation, bytes);
    RequireWithin(append.events, bytes);
    ReadEvents(append.events);
  }
}

void ReadMessage(std::string_view bytes) {
  const auto message = ReadAppendMessage(bytes);
  if (!message) return;
  const auto head = EncodeHead(message->number, message->orphan);
  Require(bytes == std::string(head.data(), head.size()).append(message->appends));
  ReadAppends(message->appends);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> aligned((size + 7) / 8);
  if (size > 0) std::memcpy(aligned.data(), data, size);
  const std::string_view bytes(reinterpret_cast<const char*>(aligned.data()), size);
  ReadJson(bytes);
  ReadEvents(bytes);
  ReadAppends(bytes);
  ReadMessage(bytes);
  return 0;
}
