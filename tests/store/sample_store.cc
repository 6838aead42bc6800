#include "tests/store/sample_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "store/engine/event_log.h"
#include "store/segments/store_identity.h"
#include "tests/store/deterministic_workload.h"
#include "tests/support/copy_store.h"

namespace turnlog {
namespace {

const SegmentOptions kOptions{.segment_bytes = 8 << 10, .checkpoint_bytes = 1 << 20};
constexpr std::uint32_t kConversations = 3;

void Append(Log& log, LastSeqs& last, int appends, Durability durability) {
  for (int i = 0; i < appends; ++i) {
    const std::uint32_t conversation = static_cast<std::uint32_t>(i) % kConversations;
    const auto result =
        log.Append(NameOf(conversation), BatchAt(conversation, last[conversation] + 1), {.durability = durability});
    ASSERT_TRUE(result) << result.error().message;
    last[conversation] = result->events.back().seq.value;
  }
}

}  // namespace

SampleStore::SampleStore(Ending ending) {
  const std::filesystem::path live = folder_ / "live";
  path_ = folder_ / "store";
  auto log = OpenSegmentLog(live, kOptions);
  EXPECT_TRUE(log) << log.error().message;
  LastSeqs last;
  Append(**log, last, 30, Durability::kSync);
  EXPECT_TRUE((*log)->Checkpoint());
  checkpoint_ = (*log)->Stats()->Figure("checkpoint_offset").value();
  Append(**log, last, 20, Durability::kSync);
  Append(**log, last, 7, Durability::kBuffered);
  if (ending == Ending::kClosed) {
    EXPECT_TRUE((*log)->Close());
    checkpoint_ = UINT64_MAX;
  }
  CopyStore(live, path_);
  log->reset();
  ListFrames();
}

void SampleStore::CopyTo(const std::filesystem::path& to) const {
  std::filesystem::remove_all(to);
  std::filesystem::copy(path_, to, std::filesystem::copy_options::recursive);
}

// Parses the format independently of the code under test.
void SampleStore::ListFrames() {
  const StoreIdentity identity = *ReadIdentity(PosixFileSystem(), {path_});
  const FrameCodec codec(identity.salt());
  for (std::uint64_t base = 0; std::filesystem::exists(path_ / "log" / SegmentName(base));
       base = segments_.back().end()) {
    const std::string bytes = *ReadFile(PosixFileSystem(), path_ / "log" / SegmentName(base));
    segments_.push_back(*ReadSegmentHeader(PosixFileSystem(), path_ / "log", SegmentName(base), identity));
    std::uint64_t at = kSegmentHeaderBytes;
    while (at + kFrameHeaderBytes <= bytes.size()) {
      const auto frame = codec.Read(std::string_view(bytes).substr(at), bytes.size() - at, base + at);
      if (!frame) break;
      frames_.push_back({.segment = segments_.back(),
                         .position = base + at,
                         .length = kFrameHeaderBytes + frame->header.length,
                         .header = frame->header});
      at += FrameBytes(frame->header.length);
    }
  }
  EXPECT_GT(segments_.size(), 5U);
  EXPECT_GT(frames_.size(), 100U);
}

bool SampleStore::ClaimedDurable(std::uint64_t position) const {
  return std::ranges::any_of(frames_, [&](const FrameLocation& frame) {
    return frame.position > position && frame.header.DurableClaim(frame.position).value_or(0) > position;
  });
}

const FrameLocation* SampleStore::FrameAt(const SegmentExtent& segment, std::uint64_t offset) const {
  const std::uint64_t position = segment.base + offset;
  const auto found = std::ranges::find_if(
      frames_, [&](const FrameLocation& frame) { return frame.position <= position && position < frame.end(); });
  return found == frames_.end() ? nullptr : &*found;
}

void FlipBit(const std::filesystem::path& file, std::uint64_t offset, unsigned bit) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(offset));
  const auto flipped = static_cast<char>(stream.get() ^ (1 << bit));
  stream.seekp(static_cast<std::streamoff>(offset));
  stream.put(flipped);
  ASSERT_TRUE(stream.good()) << file;
}

}  // namespace turnlog
