#include "schema/event/held_event.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace turnlog {
namespace {

constexpr std::size_t kMoreBytes = std::size_t{256} << 10;

// At kPayloadAlignment. `size`: a multiple of it.
std::shared_ptr<std::uint64_t[]> Allocate(std::size_t size) {
  return std::make_shared_for_overwrite<std::uint64_t[]>(size / sizeof(std::uint64_t));
}

// It was encoded here, from a valid event: that it cannot be decoded is a mistake of the program's.
template <class T>
T Trusted(Result<T> decoded) {
  if (!decoded) __builtin_trap();
  return *std::move(decoded);
}

char* BytesOf(const std::shared_ptr<std::uint64_t[]>& memory) { return reinterpret_cast<char*>(memory.get()); }

}  // namespace

EventView EncodedEvent::View() const { return Trusted(DecodeEvent(payload)); }

EventLabel EncodedEvent::Label() const { return Trusted(DecodeLabel(payload)); }

HeldEvent HeldEvent::Encode(const EventView& event) {
  assert(Validate(event));
  const std::size_t room = EncodingRoom(event);
  const auto memory = Allocate(room);
  return {{event.kind(), EncodeEvent(event, {BytesOf(memory), room})}, memory};
}

HeldEvent HeldEvent::Copy(const EncodedEvent& event) {
  const auto memory = Allocate(event.payload.size());
  char* const to = BytesOf(memory);
  std::memcpy(to, event.payload.data(), event.payload.size());
  return {{event.kind, {to, event.payload.size()}}, memory};
}

// The first blocks are small, because millions of conversations may have an event or two each.
HeldEvent HeldEvents::Copy(const EncodedEvent& event) {
  constexpr std::size_t kLeast = std::size_t{512}, kMost = std::size_t{64} << 10;
  const std::size_t size = event.payload.size();
  if (size > room_.size()) {
    const std::size_t capacity = std::max(size, std::clamp(bytes_, kLeast, kMost));
    block_ = Allocate(capacity);
    room_ = {BytesOf(block_), capacity};
    bytes_ += capacity;
  }
  char* const to = room_.data();
  std::memcpy(to, event.payload.data(), size);
  room_ = room_.subspan(size);
  return {{event.kind, {to, size}}, block_};
}

EncodedBlock::EncodedBlock(std::size_t size)
    : size_(size), memory_(std::make_unique_for_overwrite<char[]>(size)), room_(memory_.get(), size) {}

void EncodedBlock::Clear() {
  more_.clear();
  room_ = {memory_.get(), size_};
}

EncodedEvent EncodedBlock::Encode(const EventView& event) {
  assert(Validate(event));
  const std::size_t needed = EncodingRoom(event);
  if (needed > room_.size()) {
    const std::size_t size = std::max(needed, kMoreBytes);
    room_ = {more_.emplace_back(std::make_unique_for_overwrite<char[]>(size)).get(), size};
  }
  const std::string_view payload = EncodeEvent(event, room_);
  room_ = room_.first(room_.size() - payload.size());
  return {event.kind(), payload};
}

std::string_view CopyInto(std::pmr::memory_resource& memory, std::string_view text) {
  if (text.empty()) return "";
  char* const to = static_cast<char*>(memory.allocate(text.size(), 1));
  std::memcpy(to, text.data(), text.size());
  return {to, text.size()};
}

EncodedEvent CopyInto(std::pmr::memory_resource& memory, const EncodedEvent& event) {
  char* const to = static_cast<char*>(memory.allocate(event.payload.size(), kPayloadAlignment));
  std::memcpy(to, event.payload.data(), event.payload.size());
  return {event.kind, {to, event.payload.size()}};
}

}  // namespace turnlog
