// Strong types for ids, sequence numbers, times and positions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "turnlog/result.h"

namespace turnlog {

inline constexpr std::size_t kMaxConversationIdBytes = 512;
inline constexpr std::size_t kMaxIdBytes = 1024;                       // tool call, inquiry and event ids
inline constexpr std::size_t kMaxEventBytes = std::size_t{256} << 20;  // one event, encoded
inline constexpr std::size_t kMaxPositionBytes = 4096;                 // a tail's position, as text
inline constexpr int kMaxJsonDepth = 256;                              // nesting of arrays and objects

// Names a conversation: UTF-8, 1..512 bytes, no control characters.
class ConversationId {
 public:
  static Result<ConversationId> Parse(std::string_view text);

  const std::string& text() const& { return text_; }
  std::string text() && { return std::move(text_); }  // of a temporary: a copy that outlives it
  auto operator<=>(const ConversationId&) const = default;

 private:
  explicit ConversationId(std::string_view text) : text_(text) {}
  std::string text_;
};

// An event's number within its conversation: 1, 2, 3, ... without gaps. 0 means "before the first".
struct Seq {
  std::uint64_t value = 0;
  auto operator<=>(const Seq&) const = default;
};

// A turn's number within its conversation. Turn 0 holds the events before the first turn_start.
struct Turn {
  std::uint64_t value = 0;
  auto operator<=>(const Turn&) const = default;
};

// Nanoseconds since 1970-01-01 00:00:00 UTC. Text form: RFC 3339, always in UTC, as many fraction digits as needed.
struct Timestamp {
  std::int64_t nanos = 0;
  auto operator<=>(const Timestamp&) const = default;

  static Result<Timestamp> ParseRfc3339(std::string_view text);
  std::string ToRfc3339() const;
  // The same without memory of its own: the text is in `to`.
  std::string_view ToRfc3339(std::span<char, 30> to) const;
};

// A position in a log, to resume a tail from. Opaque: encoded by the engine, and only the engine can check whether it
// is a position of its store (see Log::Follow). The default is the beginning.
class Position {
 public:
  Position() = default;

  // Parses what ToText returned. kInvalidArgument: no engine writes such a text.
  static Result<Position> Parse(std::string_view text);
  // Printable ASCII without spaces, at most kMaxPositionBytes; "0-0" is the beginning.
  const std::string& ToText() const& { return text_; }
  std::string ToText() && { return std::move(text_); }
  bool operator==(const Position&) const = default;

 private:
  explicit Position(std::string_view text) : text_(text) {}
  std::string text_ = "0-0";
};

}  // namespace turnlog
