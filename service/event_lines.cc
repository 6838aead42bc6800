#include "service/event_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{4} << 10, kLargestBlock = std::size_t{1} << 20;
constexpr std::uint64_t kCostOfByte = 4;               // here, and in the log while it appends
constexpr std::size_t kLarge = std::size_t{64} << 10;  // memory that is not kept for the next line

std::size_t Filled(std::size_t length) {
  return (length + kPayloadAlignment - 1) / kPayloadAlignment * kPayloadAlignment;
}

}  // namespace

Status AppendLines::Take(std::string_view piece) {
  for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
    if (begun_.empty()) {
      TURNLOG_TRY(TakeLine(piece.substr(0, end)));
    } else {
      begun_.Append(piece.substr(0, end));
      TURNLOG_TRY(TakeLine(begun_.view()));
      begun_.Clear();
    }
    piece.remove_prefix(end + 1);
  }
  begun_.Append(piece);
  return {};
}

std::uint64_t AppendLines::cost() const {
  return kCostOfByte * (bytes_ + begun_.size()) + kCostOfEvent * payloads_.size();
}

Status AppendLines::TakeLine(std::string_view line) {
  ++lines_;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  const auto event = parser_.Parse(line);
  const Status valid = event ? Validate(*event) : Status(std::unexpected(event.error()));
  if (!valid) {
    return std::unexpected(Error{valid.error().code, fmt::format("line {}: {}", lines_, valid.error().message)});
  }
  Keep(encoder_.Encode(*event));
  if (line.size() > kLarge) encoder_.Wipe();
  return {};
}

void AppendLines::Keep(std::string_view payload) {
  const std::size_t length = Filled(payload.size());
  if (blocks_.empty() || room_ < length) {
    const std::size_t usual = std::min(kFirstBlock << std::min(blocks_.size(), std::size_t{8}), kLargestBlock);
    room_ = std::max(usual, length);
    blocks_.emplace_back().Reserve(room_);
  }
  SecretString& block = blocks_.back();
  const std::size_t begin = block.size();
  block.Append(payload);
  (void)block.Resize(begin + length);
  room_ -= length;
  payloads_.push_back(block.view().substr(begin, payload.size()));
  bytes_ += length;
}

Result<std::vector<EventView>> AppendLines::Events() {
  TURNLOG_TRY(TakeLine(begun_.view()));
  begun_ = {};
  std::vector<EventView> events;
  events.reserve(payloads_.size());
  for (const std::string_view payload : payloads_) events.push_back(TURNLOG_TRY(DecodeEvent(payload)));
  return events;
}

}  // namespace turnlog
