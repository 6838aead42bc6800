#include "migrate/codex/repeated_texts.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace turnlog {
namespace {

// A session writes events or completed items, as its history mode says, and items beside them in any case: an event and
// a completed item alone are two texts that are alike.
bool CanBeOfOneText(std::uint64_t records) {
  return (records & static_cast<std::uint64_t>(TextRecord::kItem)) != 0 || std::has_single_bit(records);
}

}  // namespace

bool RepeatedTexts::Take(TextRecord record, std::string_view text) {
  constexpr std::size_t kRemembered = 8;
  const auto bit = static_cast<std::uint64_t>(record);
  const std::uint64_t hash = Hash64(text);
  const auto is_other = [&](const RecentText& other) {
    return other.hash == hash && (other.record & bit) == 0 && CanBeOfOneText(other.record | bit);
  };
  if (const auto other = std::ranges::find_if(texts_, is_other); other != texts_.end()) {
    other->record |= bit;
    return true;
  }
  texts_.Remember({hash, bit}, kRemembered);
  return false;
}

void RepeatedTexts::Save(std::string& out) const { texts_.Save(out); }

void RepeatedTexts::Restore(Decoder& in) { texts_.Restore(in); }

}  // namespace turnlog
