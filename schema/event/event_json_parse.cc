#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "schema/event/encoded_size.h"
#include "schema/event/event_reader.h"
#include "schema/event/own_line.h"

namespace turnlog {
namespace {

constexpr std::size_t kLongestOwnLine = std::size_t{1} << 20;

std::unexpected<Error> ToError(const ReadFault& fault) {
  std::string message = "byte " + std::to_string(fault.byte) + ": ";
  if (!fault.path.empty()) message.append(fault.path).append(": ");
  return std::unexpected(Error{ErrorCode::kInvalidArgument, message.append(fault.what)});
}

Result<EventView> Checked(Read<EventView> event) {
  if (!event) return ToError(event.error());
  if (EncodedSizeBound(*event) > kMaxEventBytes) return ToError({0, {}, "the event is too large"});
  return *std::move(event);
}

}  // namespace

struct EventParser::Impl {
  Read<EventView> Parse(std::string_view text) {
    if (auto event = ParseOwnLine(text)) return *std::move(event);
    envelope = {};
    JsonReader::Object object = TURNLOG_TRY(json.Open(text));
    return ReadEvent(json, object, envelope);
  }

  Read<EventView> ParseOwned(std::string text) {
    if (text.size() <= kLongestOwnLine) return Parse(text);
    envelope = {};
    JsonReader::Object object = TURNLOG_TRY(json.OpenOwned(std::move(text)));
    return ReadEvent(json, object, envelope);
  }

  std::optional<EventView> ParseOwnLine(std::string_view text) {
    if (text.size() > kLongestOwnLine) return std::nullopt;
    if (text.size() > line_size) {
      line_size = std::bit_ceil(text.size());
      line = std::make_unique_for_overwrite<char[]>(2 * line_size);
    }
    text.copy(line.get(), text.size());
    envelope = {};
    return ReadOwnLine({line.get(), text.size()}, line.get() + line_size, envelope);
  }

  JsonReader json;
  Envelope envelope;
  std::unique_ptr<char[]> line;  // a copy of the last one, and after line_size letters its texts with escapes
  std::size_t line_size = 0;
};

EventParser::EventParser() : impl_(std::make_unique<Impl>()) {}
EventParser::~EventParser() = default;

Result<EventView> EventParser::Parse(std::string_view json) { return Checked(impl_->Parse(json)); }

Result<EventView> EventParser::ParseOwned(std::string json) { return Checked(impl_->ParseOwned(std::move(json))); }

const EventParser::Envelope& EventParser::envelope() const& { return impl_->envelope; }

Result<Event> ParseEvent(std::string_view json) {
  EventParser parser;
  return Own(TURNLOG_TRY(parser.Parse(json)));
}

}  // namespace turnlog
