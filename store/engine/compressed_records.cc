#include "store/engine/compressed_records.h"

#include <fmt/format.h>

#include <string>

#include "base/try.h"
#include "store/segments/log_end.h"
#include "store/segments/payload_codec.h"

namespace turnlog {
namespace {

constexpr std::string_view kDamaged = "a compressed record is damaged, and cannot be searched";

bool HoldsPayload(const FrameHeader& header) {
  return header.codec != kNoCodec && (header.type == FrameType::kEvent || header.type == FrameType::kReplacement);
}

class Visit {
 public:
  Visit(SegmentSet& segments, StorageVisitor& visitor)
      : segments_(segments), visitor_(visitor), scanner_(segments, 0) {}

  Status Run() {
    TURNLOG_TRY(segments_.Refresh());
    while (true) {
      const Frame* frame = TURNLOG_TRY(NextOrRefresh(scanner_, segments_));
      if (frame != nullptr) {
        Show(*frame);
      } else if (TURNLOG_TRY(scanner_.BlankFromHere()) || !TURNLOG_TRY(StepOver())) {
        return {};
      }
    }
  }

 private:
  void Show(const Frame& frame) {
    if (!HoldsPayload(frame.header)) return;
    const std::string object = NameOf(frame.position, frame.end());
    const auto payload = unpacker_.Unpack(frame);
    payload ? visitor_.OnEntry(object, {}, *payload) : visitor_.OnUnreadable(object, payload.error().message);
  }

  // Past bytes that are no valid frame, also after the end of the log: what a crash has left may hold frames.
  Result<bool> StepOver() {
    const auto found = TURNLOG_TRY(scanner_.StepOver(UINT64_MAX));
    if (!found) return false;
    if (found->header && HoldsPayload(*found->header)) {
      visitor_.OnUnreadable(fmt::format("{} at byte {}", found->damage.file, found->damage.offset), kDamaged);
    }
    return scanner_.position() != UINT64_MAX;
  }

  std::string NameOf(std::uint64_t begin, std::uint64_t end) const {
    const Damage damage = segments_.DamageAt(begin, end, {});
    return fmt::format("{} at byte {}", damage.file, damage.offset);
  }

  SegmentSet& segments_;
  StorageVisitor& visitor_;
  FrameScanner scanner_;
  PayloadUnpacker unpacker_;
};

}  // namespace

Status VisitCompressedRecords(SegmentSet& segments, StorageVisitor& visitor) { return Visit(segments, visitor).Run(); }

}  // namespace turnlog
