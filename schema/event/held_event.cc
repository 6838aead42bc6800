#include "schema/event/held_event.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "schema/event/encoded_size.h"
#include "schema/event/event_converter.h"

namespace turnlog {
namespace {

constexpr std::size_t kLeastBlockBytes = 4096, kMostBlockBytes = std::size_t{128} << 10;

// The event with what `make` returns for each of its texts.
template <class Make>
EventView Convert(const EventView& event, const Make& make) {
  return EventConverter<std::string_view, const Make&>{make}.Event(event);
}

// At least as many bytes as the texts of the event have. Those of a repair may be anything.
std::optional<std::size_t> MostTexts(const EventView& event) {
  if (event.kind() == EventKind::kRepair) return std::nullopt;
  const auto* const request = std::get_if<InquiryRequestView>(&event.body);
  const auto* const response = std::get_if<InquiryResponseView>(&event.body);
  const std::size_t id = request != nullptr    ? request->id.text.size()
                         : response != nullptr ? response->id.text.size()
                                               : 0;
  return EncodedSizeBound(event) + id;  // whose parts are copied besides
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

HeldEvent HeldEvents::Copy(const EventView& event) {
  const std::optional<std::size_t> most = MostTexts(event);
  if (!most || *most > kMostBlockBytes / 4) {
    bytes_ += EncodedSizeBound(event);
    return HeldEvent::Copy(event);
  }
  if (*most > left_.size()) {
    const std::size_t size = std::max(*most, std::clamp(bytes_, kLeastBlockBytes, kMostBlockBytes));
    block_ = std::make_shared_for_overwrite<char[]>(size);
    left_ = {block_.get(), size};
    bytes_ += size;
  }
  EventView copy = Convert(event, [this](std::string_view text) {
    char* const to = left_.data();
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    left_ = left_.subspan(text.size());
    return std::string_view(to, text.size());
  });
  return {std::move(copy), block_};
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
