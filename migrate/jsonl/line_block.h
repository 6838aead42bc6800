// Consecutive lines of a JSON lines file, and the events that they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <vector>

#include "migrate/import/byte_reader.h"
#include "schema/event/held_event.h"
#include "turnlog/event_json.h"

namespace turnlog {

struct JsonLine {
  std::string_view text;
  bool too_long = false;       // for an event, and was skipped
  std::uint64_t number = 0;    // from 1
  std::uint64_t offset = 0;    // of the text in the file
  std::uint64_t end = 0;       // likewise, after its break
  bool has_break = true;       // the last one may have none
  Result<EncodedEvent> event;  // or why it is none
  std::optional<std::string_view> event_id;
  EventParser::Envelope envelope;  // of the event
};

// It is filled again and again, because memory that one thread allocates and another one frees is expensive.
// Memory: 1.5 MiB, or one line, its event and copies of both.
class LineBlock {
 public:
  LineBlock() = default;
  LineBlock(const LineBlock&) = delete;
  LineBlock& operator=(const LineBlock&) = delete;

  // Reads the next lines, without blank ones. False: there are no more, or reading failed; see error().
  bool Fill(LineReader& lines);
  // What takes long, and needs nothing but the block.
  void Parse();

  bool empty() const { return next_ == lines_.size(); }
  // Valid until the block is filled again.
  const JsonLine& Next() { return lines_[next_++]; }
  // Of reading, after the lines.
  const std::optional<Error>& error() const { return error_; }

 private:
  static constexpr std::size_t kBytes = std::size_t{512} << 10;  // of lines and their texts; the last one may be longer

  std::vector<JsonLine> lines_;
  std::size_t next_ = 0;
  std::optional<Error> error_;
  EventParser parser_;
  const std::unique_ptr<char[]> memory_ = std::make_unique_for_overwrite<char[]>(kBytes);
  std::pmr::monotonic_buffer_resource texts_{memory_.get(), kBytes};
  EncodedBlock events_{kBytes};
};

}  // namespace turnlog
