// Consecutive lines of a JSON lines file, and the events that they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <vector>

#include "migrate/jsonl/line_pieces.h"
#include "schema/event/held_event.h"
#include "turnlog/event_json.h"

namespace turnlog {

struct JsonLine {
  std::string_view text;
  bool too_long = false;         // for an event, and was skipped
  std::uint64_t number = 0;      // from 1
  std::uint64_t offset = 0;      // of the text in the file
  std::uint64_t end = 0;         // likewise, after its break
  bool has_break = true;         // the last one may have none
  Result<EncodedEvent> event{};  // or why it is none
  EventMemory memory{};          // of a large event; null: it is valid until the next line
  std::optional<std::string_view> event_id{};
  EventParser::Envelope envelope{};  // of the event
};

// It is filled again and again, because memory that one thread allocates and another one frees is expensive.
// Memory: 1.5 MiB, or one line, a copy of it, its text and its event.
class LineBlock {
 public:
  LineBlock() = default;
  LineBlock(const LineBlock&) = delete;
  LineBlock& operator=(const LineBlock&) = delete;

  // Reads the next lines. False: there are no more, or reading failed; see error().
  bool Fill(LinePieces& pieces);
  // What takes long, and needs nothing but the block.
  void Parse();

  // The next line that is not blank, or null. Valid until the next call.
  const JsonLine* Next();
  // `number`: of lines before the block.
  void SetLinesBefore(std::uint64_t number) { lines_before_ = number; }
  // With those before the block, and blank ones. REQUIRES: Next has returned null.
  std::uint64_t number() const { return lines_before_ + number_; }
  // Of reading, after the lines.
  const std::optional<Error>& error() const { return error_; }

 private:
  static constexpr std::size_t kMostLines = 4096;  // at once; those of events are longer, so that a block has fewer
  static constexpr std::size_t kEventBytes = std::size_t{512} << 10, kTextBytes = std::size_t{64} << 10;
  static constexpr std::size_t kLargeLine = std::size_t{1} << 20;  // its event is kept without a copy

  void Add(std::string_view text, std::uint64_t offset, bool has_break);
  void ParseEvent(JsonLine& line);
  void Encode(const EventView& event, JsonLine& line);

  LinePiece piece_;
  std::size_t parsed_ = 0;                       // bytes of the piece
  std::uint64_t number_ = 0, lines_before_ = 0;  // number_: of the lines in these bytes
  std::vector<JsonLine> lines_;                  // the last of them
  std::size_t next_ = 0;
  std::string_view last_name_;
  std::optional<Error> error_;
  EventParser parser_;
  const std::unique_ptr<char[]> memory_ = std::make_unique_for_overwrite<char[]>(kTextBytes);
  std::pmr::monotonic_buffer_resource texts_{memory_.get(), kTextBytes};
  EncodedBlock events_{kEventBytes};
};

}  // namespace turnlog
