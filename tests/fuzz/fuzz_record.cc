// Any bytes as an encoded event: refused, or a view that can be copied and written without touching anything outside.
#include <cstring>
#include <string>
#include <vector>

#include "schema/event/codec.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/schema/built_event.h"
#include "turnlog/event_json.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  std::vector<std::uint64_t> aligned((size + 7) / 8);
  if (size > 0) std::memcpy(aligned.data(), data, size);
  const std::string_view payload(reinterpret_cast<const char*>(aligned.data()), size);
  const auto time = DecodeTime(payload);
  const auto label = DecodeLabel(payload);
  const auto event = DecodeEvent(payload);
  if (!event) return 0;
  Require(time && *time == event->timestamp);
  Require(label && label->time == event->timestamp && label->event_id == event->event_id);
  Require(label->inquiry == InquiryLabelOf(*event));
  const Event owned = Own(*event);
  Require(View(owned) == *event);
  ToJson(*event);

  // What the door lets in comes out the same.
  if (!Validate(*event)) return 0;
  EventEncoder encoder;
  const std::string_view encoded = encoder.Encode(*event);
  Require(encoded == BuildEvent(*event));
  const auto again = DecodeEvent(encoded);
  Require(again && *again == *event);
  Require(ParseEvent(ToJson(*event)).has_value());
  return 0;
}
