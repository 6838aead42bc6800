#include "remote/event_batch.h"

#include <fmt/format.h>

#include <array>

#include "base/coding.h"
#include "base/try.h"
#include "schema/event/codec.h"

namespace turnlog {
namespace {

constexpr std::size_t kHead = 2 * sizeof(std::uint64_t);

std::size_t Filled(std::size_t length) {
  return (length + kPayloadAlignment - 1) / kPayloadAlignment * kPayloadAlignment;
}

std::unexpected<Error> Wrong(std::size_t number, std::size_t count, Error error) {
  if (count > 1) error.message = fmt::format("event {} of {}: {}", number, count, error.message);
  return std::unexpected(std::move(error));
}

}  // namespace

Result<SecretString> EncodeBatch(std::span<const NumberedEvent> events) {
  SecretString bytes;
  TURNLOG_TRY(EncodeBatch(events, bytes));
  return bytes;
}

Status EncodeBatch(std::span<const NumberedEvent> events, SecretString& bytes) {
  EventEncoder encoder;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (Status valid = Validate(events[i].event); !valid) return Wrong(i + 1, events.size(), std::move(valid).error());
    const std::string_view payload = encoder.Encode(events[i].event);
    std::array<char, kHead> head{};
    StoreLittle(head.data(), events[i].seq.value);
    StoreLittle(head.data() + sizeof(std::uint64_t), std::uint64_t{payload.size()});
    bytes.Append({head.data(), head.size()});
    bytes.Append(payload);
    (void)bytes.Resize(Filled(bytes.size()));
  }
  return {};
}

Result<std::vector<NumberedEvent>> DecodeBatch(std::string_view bytes) {
  const Error malformed{ErrorCode::kInvalidArgument, "the body is no sequence of encoded events"};
  std::vector<NumberedEvent> events;
  while (!bytes.empty()) {
    if (bytes.size() < kHead) return std::unexpected(malformed);
    const Seq seq{LoadLittle<std::uint64_t>(bytes.data())};
    const auto length = LoadLittle<std::uint64_t>(bytes.data() + sizeof(std::uint64_t));
    bytes.remove_prefix(kHead);
    if (length > bytes.size() || Filled(length) > bytes.size()) return std::unexpected(malformed);
    auto event = DecodeEvent(bytes.substr(0, length));
    if (!event) return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(event).error().message});
    events.push_back({seq, *event});
    bytes.remove_prefix(Filled(length));
  }
  return events;
}

}  // namespace turnlog
