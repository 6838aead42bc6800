// What decoding an event, or parts of it, has in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "event_generated.h"
#include "schema/event/codec.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog::stored_event {

inline std::unexpected<Error> Corrupt(std::string_view what) {
  return std::unexpected(Error{ErrorCode::kCorruption, "encoded event: " + std::string(what)});
}

inline std::unexpected<Error> Unknown(std::string_view what) {
  return std::unexpected(Error{ErrorCode::kUnsupportedVersion, "encoded event: unknown " + std::string(what)});
}

inline std::string_view Text(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : std::string_view(text->c_str(), text->size());
}

inline std::optional<std::string_view> Optional(const flatbuffers::String* text) {
  return text == nullptr ? std::nullopt : std::optional(Text(text));
}

// Ours and the stored enums share their values, numbered from 0 without gaps.
template <class Ours, class Stored>
Result<Ours> ToEnum(Stored value, std::string_view name) {
  if (value > Stored::MAX) return Unknown(name);
  return static_cast<Ours>(value);
}

inline std::optional<Timestamp> TimeOf(const fbs::Event& stored) {
  const auto time = stored.timestamp();
  return time.has_value() ? std::optional(Timestamp{*time}) : std::nullopt;
}

inline flatbuffers::Verifier VerifierOf(std::string_view payload, const flatbuffers::Verifier::Options& options) {
  return flatbuffers::Verifier(reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size(), options);
}

inline constexpr std::size_t kIdentifierBytes = flatbuffers::kFileIdentifierLength;

// What can be said without looking at a table.
inline Status CheckPayload(std::string_view payload) {
  if (reinterpret_cast<std::uintptr_t>(payload.data()) % kPayloadAlignment != 0) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "encoded event: not aligned in memory"});
  }
  if (payload.size() < 2 * sizeof(std::uint32_t) || payload.size() > kMaxEventBytes) return Corrupt("impossible size");
  if (payload.substr(sizeof(std::uint32_t), kIdentifierBytes) != fbs::EventIdentifier()) return Unknown("format");
  return {};
}

}  // namespace turnlog::stored_event
