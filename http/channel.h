// A connected, non-blocking socket as two streams of bytes, encrypted or not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace turnlog {

// Threads: one at a time.
class Channel {
 public:
  enum class State : std::uint8_t {
    kMoved,       // at least one byte
    kWantsRead,   // nothing, until the socket can be read
    kWantsWrite,  // nothing, until the socket can be written to
    kEnded,       // the other side has ended it, or it has failed
  };
  struct Step {
    State state = State::kEnded;
    std::size_t bytes = 0;
  };

  virtual ~Channel() = default;
  virtual Step Read(std::span<char> out) = 0;
  // The same, after waiting for something to read, for so long.
  virtual Step ReadWithin(std::span<char> out, std::chrono::milliseconds time) = 0;
  virtual Step Write(std::string_view bytes) = 0;
  // There is nothing to read now, not even the end.
  virtual bool silent() = 0;
  // The other side has ended it, as far as is known without reading.
  virtual bool ended() = 0;
  // Why there can be no encrypted connection with the other side, if that is why it has ended.
  virtual std::string refusal() const { return {}; }
  // Nothing more will be written.
  virtual void EndWriting() = 0;
};

// Not encrypted. The socket stays the caller's, and is open as long as the channel is used.
std::unique_ptr<Channel> PlainChannel(int socket);

}  // namespace turnlog
