#include "schema/event/held_event.h"

#include <cstring>
#include <utility>

#include "schema/event/encoded_size.h"
#include "schema/event/event_converter.h"

namespace turnlog {
namespace {

// The event with what `make` returns for each of its texts.
template <class Make>
EventView Convert(const EventView& event, const Make& make) {
  return EventConverter<std::string_view, const Make&>{make}.Event(event);
}

}  // namespace

std::string_view CopyInto(std::pmr::memory_resource& memory, std::string_view text) {
  if (text.empty()) return "";
  char* const to = static_cast<char*>(memory.allocate(text.size(), 1));
  std::memcpy(to, text.data(), text.size());
  return {to, text.size()};
}

EventView CopyInto(std::pmr::memory_resource& memory, const EventView& event) {
  return Convert(event, [&memory](std::string_view text) { return CopyInto(memory, text); });
}

HeldEvent HeldEvent::Copy(const EventView& event) {
  std::size_t size = 0;
  (void)Convert(event, [&size](std::string_view text) { return size += text.size(), text; });
  const auto texts = std::make_shared_for_overwrite<char[]>(size);
  std::pmr::monotonic_buffer_resource memory(texts.get(), size);
  return {CopyInto(memory, event), texts};
}

HeldEvent HeldEvent::Take(Event&& event) {
  const auto taken = std::make_shared<const Event>(std::move(event));
  return {View(*taken), taken};
}

HeldEvent HeldEvent::TakeLarge(Event& event) {
  constexpr std::size_t kLarge = std::size_t{16} << 10;
  EventView view = View(event);
  if (EncodedSizeBound(view) < kLarge) return {std::move(view), nullptr};
  return Take(std::move(event));
}

}  // namespace turnlog
