// Tests that must hold wherever the index has what they ask for: in memory, on disk, both, made anew, or in a reader.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/store/log_fixture.h"

namespace turnlog {

enum class Place {
  kMemory,        // appended since the log was opened
  kCheckpointed,  // on disk
  kReopened,      // on disk, seen by another handle
  kReplayed,      // in memory, taken from the log after a crash
  kReader,        // a read-only handle that was there before
  kNewReader,     // a read-only handle that was opened behind the last append
};

inline const auto kEverywhere = testing::Values(Place::kMemory, Place::kCheckpointed, Place::kReopened,
                                                Place::kReplayed, Place::kReader, Place::kNewReader);

inline std::string NameOfPlace(const testing::TestParamInfo<Place>& place) {
  constexpr std::array kNames{"Memory", "Checkpointed", "Reopened", "Replayed", "Reader", "NewReader"};
  return kNames.at(static_cast<std::size_t>(place.param));
}

class IndexStateTest : public LogTest, public testing::WithParamInterface<Place> {
 protected:
  static constexpr std::string_view kConversation = "conversation";

  IndexStateTest() {
    if (GetParam() == Place::kReader) reader_ = OpenReader();
  }

  void Append(const std::vector<Event>& events, std::string_view conversation = kConversation) {
    Must(LogTest::Append(conversation, events));
  }

  // Brings what has been appended to its place; what is appended next joins it there with the next call.
  void Settle() {
    switch (GetParam()) {
      case Place::kMemory:
        return;
      case Place::kCheckpointed:
        return Must(log_->Checkpoint());
      case Place::kReopened:
        return Reopen();
      case Place::kReplayed:
        return ReopenAfterCrash();
      case Place::kReader:
        return Must(reader_->Refresh());
      case Place::kNewReader:
        reader_ = OpenReader();
        return;
    }
  }

  Log& log() { return reader_ != nullptr ? *reader_ : *log_; }

 private:
  std::unique_ptr<Log> OpenReader() { return Must(OpenSegmentLog(path(), Options(OpenMode::kRead))); }

  std::unique_ptr<Log> reader_;
};

}  // namespace turnlog
