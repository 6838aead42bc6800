// Replays of a log whose index cannot be written at some point.
#include "store/index/replay.h"

#include <gtest/gtest.h>

#include "store/index/index_base.h"
#include "tests/store/hand_made_log.h"
#include "tests/support/must.h"

namespace turnlog::replay_test {
namespace {

// A base whose n-th change fails.
class FailingBase final : public IndexBase {
 public:
  FailingBase(std::unique_ptr<IndexBase> base, int fails) : base_(std::move(base)), left_(fails) {}

  Status Apply(const IndexBatch& batch) override {
    if (--left_ == 0) return std::unexpected(Error{ErrorCode::kIo, "refused"});
    return base_->Apply(batch);
  }
  Result<std::optional<std::string>> Get(std::string_view key, Expect expect) const override {
    return base_->Get(key, expect);
  }
  Result<std::vector<std::pair<std::string, std::string>>> Range(std::string_view from, std::string_view prefix,
                                                                 std::size_t limit) const override {
    return base_->Range(from, prefix, limit);
  }
  Status ReplaceBy(IndexBase& rebuilt, const std::filesystem::path& aside) override {
    return base_->ReplaceBy(rebuilt, aside);
  }
  Status VerifyChecksums() const override { return base_->VerifyChecksums(); }
  std::uint64_t BytesOnDisk() const override { return base_->BytesOnDisk(); }
  Result<std::unique_ptr<IndexWalk>> Walk(std::string_view from, std::string_view to) const override {
    return base_->Walk(from, to);
  }
  void Close() override { base_->Close(); }
  int left() const { return left_; }

 private:
  const std::unique_ptr<IndexBase> base_;
  int left_;
};

// Whichever checkpoint fails, also the last one, which is being written when the log ends.
TEST(ReplayTest, FailsIfOneOfItsCheckpointsDoes) {
  HandMadeLog log;
  log.Put({.type = FrameType::kConversation, .kind = EventKind{0}, .conversation = 1}, "talk");
  for (int i = 0; i < 20; ++i) log.Add("not an event, which is damage");
  const auto segments = log.Open();
  int checkpoints = 0;
  for (bool failed = true; failed; ++checkpoints) {
    auto base = std::make_unique<FailingBase>(Must(IndexBase::MakeScratch()), checkpoints + 1);
    const FailingBase& changes = *base;
    Index index(std::move(base), IndexMeta{});
    const auto report = Replay(*segments, index, {}, log.position(),
                               {.salt = log.identity().salt(), .checkpoint_bytes = 100, .progress = {}});
    failed = changes.left() <= 0;
    EXPECT_EQ(report ? "" : report.error().message, failed ? "refused" : "") << checkpoints;
  }
  EXPECT_GT(checkpoints, 5);
}

}  // namespace
}  // namespace turnlog::replay_test
