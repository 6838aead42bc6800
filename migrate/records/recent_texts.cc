#include "migrate/records/recent_texts.h"

namespace turnlog {

void RecentTexts::Remember(RecentText text, std::size_t most) {
  push_back(text);
  if (size() > most) pop_front();
}

void RecentTexts::Save(std::string& out) const {
  AppendVarint(out, size());
  for (const RecentText& text : *this) {
    AppendVarint(out, text.record);
    AppendBig(out, text.hash);
  }
}

void RecentTexts::Restore(Decoder& in, std::uint64_t greatest) {
  for (std::uint64_t left = in.Varint(); left > 0 && in.ok; --left) {
    const std::uint64_t record = in.Varint();
    in.ok &= record <= greatest;
    if (in.ok) push_back({in.Big(), record});
  }
}

}  // namespace turnlog
