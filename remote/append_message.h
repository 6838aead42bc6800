// The messages of a stream of appends (message_handler.h). All numbers are 8
// bytes, little-endian. A message: the number of the write, which counts from 1 on the stream's lane; 1 if it may have
// been sent to an instance of the service that is gone, else 0; the appends (append_batch.h). An answer: 200 and the
// outcomes, or the status of a problem and the problem (problem.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/message_handler.h"
#include "turnlog/result.h"

namespace turnlog {

inline constexpr std::string_view kAppendStream = "turnlog-appends";  // the protocol's name

struct AppendMessage {
  std::uint64_t number = 0;
  bool orphan = false;
  std::string_view appends;
};

// What comes before the appends.
using AppendMessageHead = std::array<char, 16>;
inline constexpr std::size_t kMaxStreamedAppends = kMaxMessage - sizeof(AppendMessageHead);
AppendMessageHead EncodeHead(std::uint64_t number, bool orphan);
// It borrows from `bytes`. kInvalidArgument: it is malformed.
Result<AppendMessage> ReadAppendMessage(std::string_view bytes);

std::string EncodeAnswer(const Result<std::string>& outcomes);
// The outcomes. Errors are those of the problem; kIo: this is not understood.
Result<std::string> ReadAnswer(std::string_view bytes);

}  // namespace turnlog
