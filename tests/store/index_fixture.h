// An index that is filled by replaying events.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "store/index/index.h"
#include "tests/support/temp_dir.h"

namespace turnlog {

class IndexTest : public testing::Test {
 protected:
  IndexTest() : index_(*IndexBase::Open(folder_.path(), IndexBase::Access::kCreate, Environment{}), IndexMeta{}) {}

  // Replays an event at the next position.
  bool Replay(std::uint32_t conversation, std::uint64_t seq, IndexedFields fields = {.kind = EventKind::kChatRequest}) {
    position_ += 64;
    const Frame frame{.header = {.kind = fields.kind, .conversation = conversation, .seq = seq}, .position = position_};
    return (*index_.ReplayEvent(frame, fields, 1'000)).has_value();
  }
  IndexedFields Fields(EventKind kind, bool answered = false) {
    return {.kind = kind, .inquiry = kInquiry, .answered = answered};
  }
  void Checkpoint() {
    index_.BeginCheckpoint([&] { return LogOffset{position_ + 64, {}}; });
    ASSERT_TRUE(index_.WriteCheckpoint());
  }
  std::uint32_t NumberOf(const std::string& name) { return (*index_.Find(name))->number; }

  static constexpr Hash128 kInquiry{1, 2};
  TempDir folder_;
  Index index_;
  std::uint64_t position_ = 0;
};

}  // namespace turnlog
