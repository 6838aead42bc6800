#include "migrate/records/text_reader.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace turnlog {

Result<RecordPiece> TextReader::Next() {
  constexpr std::size_t kMaxTextBytes = kMaxEventBytes / 2;
  bytes_.Consume(std::exchange(consume_, 0));
  while (bytes_.window().size() <= kMaxTextBytes && TURNLOG_TRY(bytes_.More())) {
  }
  too_long_ |= bytes_.window().size() > kMaxTextBytes;
  const bool first = !std::exchange(ended_, true);
  if (bytes_.window().empty() && !first) return RecordPiece{};
  consume_ = too_long_ ? std::min(bytes_.window().size(), kMaxDamageBytes) : bytes_.window().size();
  RecordPiece piece{.kind = too_long_ ? RecordPiece::Kind::kDamage : RecordPiece::Kind::kText,
                    .lead = {},
                    .bytes = bytes_.window().substr(0, consume_)};
  piece.offset = bytes_.offset();
  if (too_long_) piece.reason = "longer than any event";
  return piece;
}

}  // namespace turnlog
