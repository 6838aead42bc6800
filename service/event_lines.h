// Events as JSON lines, the body of an append. Each is parsed and encoded when its line has come, so that a body is
// held once, and not larger than a log stores it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "http/message.h"
#include "schema/event/codec.h"
#include "turnlog/event.h"
#include "turnlog/event_json.h"
#include "turnlog/result.h"

namespace turnlog {

// The memory that one event takes while it is appended, beside its bytes.
inline constexpr std::uint64_t kCostOfEvent = 1024;

class AppendLines : public BodySink {
 public:
  // Errors are those of the parser and of Validate, with the number of the line.
  Status Take(std::string_view piece) override;
  std::uint64_t cost() const override;

  // After the last piece. The events borrow from this.
  Result<std::vector<EventView>> Events();

 private:
  Status TakeLine(std::string_view line);
  void Keep(std::string_view payload);

  std::size_t lines_ = 0;
  SecretString begun_;  // a line without its end
  EventParser parser_;
  EventEncoder encoder_;
  std::vector<SecretString> blocks_;  // that never grow
  std::size_t room_ = 0;              // in the last one
  std::vector<std::string_view> payloads_;
  std::uint64_t bytes_ = 0;  // of them
};

}  // namespace turnlog
