// Any text: refused, or an event that is valid JSON, passes validation, and survives writing, reading and encoding.
#include <string>
#include <string_view>

#include "schema/event/codec.h"
#include "schema/json/json_scan.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/schema/built_event.h"
#include "turnlog/event_json.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  EventParser parser, general;
  const auto event = parser.Parse(text);
  const auto same = general.Parse(std::string(" ").append(text));  // which is no line of turnlog's own
  Require(event.has_value() == same.has_value());
  if (!event) return 0;
  Require(*event == *same && parser.envelope().conversation == general.envelope().conversation &&
          parser.envelope().seq == general.envelope().seq);
  Require(!FindJsonFault(text));
  Require(Validate(*event).has_value());

  EventEncoder encoder;
  const std::string_view payload = encoder.Encode(*event);
  Require(payload == BuildEvent(*event));
  const auto decoded = DecodeEvent(payload);
  Require(decoded && *decoded == *event);

  const std::string written = ToJson(*event);
  Require(!written.contains('\n') && !written.contains('\r'));
  const auto again = ParseEvent(written);
  Require(again && ToJson(View(*again)) == written);

  std::string enveloped;
  AppendJson(*event, "c", Seq{1}, enveloped);
  EventParser second;
  const auto unwrapped = second.Parse(enveloped);
  Require(unwrapped && Own(*unwrapped) == *again && second.envelope().conversation == "c");
  return 0;
}
