// Messages instead of requests on a connection, after "101 Switching Protocols": each is answered before the next one.
// On the wire: the length of a message (8 bytes, little-endian) and the message; an answer likewise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace turnlog {

inline constexpr std::size_t kMessageLength = sizeof(std::uint64_t);  // before each message and answer
inline constexpr std::size_t kMaxMessage = std::size_t{256} << 10;

// What handles the messages of one connection. One thread at a time.
class MessageHandler {
 public:
  // Makes the answer; may block.
  using Answer = std::function<std::string()>;

  virtual ~MessageHandler() = default;
  // In a moment, because others wait for the thread. `message` is valid until the answer has been made or dropped.
  virtual Answer Handle(std::string_view message) = 0;
};

}  // namespace turnlog
