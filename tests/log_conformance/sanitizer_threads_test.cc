// What a sanitizer does beside those who append: lists what has changed, reads how far it has seen, and writes it down.
#include <atomic>
#include <set>
#include <thread>

#include "tests/log_conformance/conformance.h"

namespace turnlog::sanitizer_threads_test {
namespace {

class SanitizerThreadsTest : public testing::TestWithParam<TestedEngine>, protected EngineFixture {
 protected:
  SanitizerThreadsTest() : EngineFixture(GetParam(), 1) {}

  static constexpr int kConversations = 20;

  static std::string NameOf(int conversation) { return std::to_string(conversation % kConversations); }

  void Grow(int appends) {
    for (int i = 0; i < appends; ++i) Must(Append(NameOf(i * 7), {NewTurn(), Say("x")}));
  }
  // One run. Only this thread sets watermarks, so none is beyond what is listed.
  void SeeWhatHasChanged() {
    for (const ConversationInfo& info : Must(log_->ListChanged("sanitize", "", 1'000))) {
      const auto watermark = Must(log_->FindWatermark("sanitize", Id(info.id)));
      EXPECT_LE(watermark ? watermark->head : Seq{}, info.last);
      Must(log_->SetWatermark("sanitize", Id(info.id), {info.last, info.id}));
    }
  }
};

TURNLOG_FOR_ALL_ENGINES(SanitizerThreadsTest);

TEST_P(SanitizerThreadsTest, NothingThatGrowsIsMissed) {
  std::atomic<int> appending = 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      Grow(600);
      --appending;
    });
  }
  std::thread checkpoints([&] {
    while (appending > 0) Must(log_->Checkpoint());
  });
  while (appending > 0) SeeWhatHasChanged();
  for (std::thread& thread : threads) thread.join();
  checkpoints.join();
  std::set<std::string> behind;
  for (int i = 0; i < kConversations; ++i) {
    const auto watermark = Must(log_->FindWatermark("sanitize", Id(NameOf(i))));
    if (!watermark || watermark->head < Must(log_->Info(Id(NameOf(i)))).last) behind.insert(NameOf(i));
  }
  std::set<std::string> changed;
  for (const ConversationInfo& info : Must(log_->ListChanged("sanitize", "", 1'000))) changed.insert(info.id);
  EXPECT_EQ(changed, behind);
  SeeWhatHasChanged();
  EXPECT_THAT(Must(log_->ListChanged("sanitize", "", 1'000)), testing::IsEmpty());
  Reopen();
  EXPECT_THAT(Must(log_->ListChanged("sanitize", "", 1'000)), testing::IsEmpty());
  for (int i = 0; i < kConversations; ++i) {
    EXPECT_EQ(Must(log_->FindWatermark("sanitize", Id(NameOf(i))))->state, NameOf(i));
  }
  Close();
  EXPECT_EQ(store_->Check(), "");
}

}  // namespace
}  // namespace turnlog::sanitizer_threads_test
