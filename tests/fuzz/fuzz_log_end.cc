// A log that no writer would write, in which every checksum is right unless the input says otherwise: its end is found,
// all of it can be walked, and neither reads outside of it or hashes much more than it holds.
#include <algorithm>
#include <string>

#include "store/erasure/replacement_reader.h"
#include "store/erasure/tombstone.h"
#include "store/segments/frame_scanner.h"
#include "store/segments/log_end.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"
#include "tests/fuzz/memory_files.h"

namespace {

using namespace turnlog;

constexpr std::uint64_t kSegmentBytes = 8 << 10;
constexpr std::uint64_t kMostSegments = 4;
constexpr std::uint64_t kHashedBeside = 2 << 20;  // in vain, before the search takes a header's word
const std::filesystem::path kFolder = "/log";
const StoreIdentity kIdentity{.id_high = 1, .id_low = 2};

class CraftedLog {
 public:
  explicit CraftedLog(InputBytes input) : input_(input) {
    AddSegment();
    while (!input_.empty() && base_ < kMostSegments * kSegmentBytes) Step();
  }

  MemoryFiles& files() { return files_; }
  std::uint64_t size() const { return base_ + kSegmentBytes; }

 private:
  void AddSegment() {
    version_ = input_.Byte() % 4 == 0 ? kOldestFormatVersion : kFormatVersion;
    Require(CreateSegment(files_, kFolder, kIdentity, {base_, kSegmentBytes, version_}).has_value());
    position_ = base_ + kSegmentHeaderBytes;
  }
  void Write(std::string_view bytes) {
    const auto room = base_ + kSegmentBytes - std::min(position_, base_ + kSegmentBytes);
    bytes = bytes.substr(0, room);
    const auto file = files_.Open(kFolder / SegmentName(base_), FileSystem::Access::kWrite);
    Require((*file)->WriteAt(position_ - base_, bytes).has_value());
  }
  void AddFrame(std::uint8_t type) {
    const FrameHeader header{.type = static_cast<FrameType>(type),
                             .kind = static_cast<EventKind>(input_.Byte()),
                             .batch_continues = input_.Byte() % 4 == 1,
                             .conversation = input_.Byte(),
                             .durable_back = static_cast<std::uint32_t>(input_.Number(2)),
                             .seq = input_.Byte()};
    const std::string_view payload = input_.Text(input_.Byte());
    std::string bytes;
    FrameCodec(kIdentity.salt(), version_).Append(header, payload, Hash64(payload), position_, bytes);
    Write(bytes);
    position_ += bytes.size();
  }
  void Step() {
    const std::uint8_t what = input_.Byte() % 16;
    if (what >= 1 && what <= (version_ == kOldestFormatVersion ? 8 : 9)) return AddFrame(what);
    const std::uint64_t distance = input_.Byte() * kFrameAlignment;
    switch (what) {
      case 10:  // a gap
        position_ += distance;
        break;
      case 11:  // over what is there
        position_ = std::max(base_ + kSegmentHeaderBytes, position_ - std::min(position_, distance));
        break;
      case 12:
        Write(input_.Text(distance));
        break;
      case 13:
        base_ += kSegmentBytes;
        AddSegment();
        break;
      default:
        break;
    }
  }

  InputBytes input_;
  MemoryFiles files_;
  std::uint32_t version_ = kFormatVersion;
  std::uint64_t base_ = 0, position_ = 0;
};

void Walk(SegmentSet& segments, std::uint64_t end) {
  FrameScanner scanner(segments, 0);
  ReplacementReader replacements(segments);
  while (scanner.position() < end) {
    const std::uint64_t before = scanner.position();
    const auto frame = scanner.Next();
    if (!frame) return;  // of a later version
    if (*frame) {
      Require((*frame)->end() == scanner.position());
      if ((*frame)->header.type == FrameType::kTombstone) (void)replacements.Follow(**frame);
    } else {
      const auto gap = scanner.StepOver(end);
      if (!gap || !*gap) return;
    }
    Require(scanner.position() > before);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CraftedLog log(InputBytes(data, size));
  SegmentSet segments(log.files(), kFolder, kIdentity, false);
  Require(segments.Refresh().has_value());
  const auto found = FindLogEnd(segments, 0);
  if (!found) return 0;
  Require(found->end <= log.size() && found->end % kFrameAlignment == 0);
  Require(found->hashed_bytes <= 64 * log.size() + kHashedBeside);
  for (const Damage& damage : found->damage) Require(damage.offset < kSegmentBytes);
  Walk(segments, found->end);
  Walk(segments, log.size());
  // From the end on there is nothing more that would count.
  const auto again = FindLogEnd(segments, found->end);
  Require(again && again->end >= found->end);
  return 0;
}
