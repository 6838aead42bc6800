// Shared by the tests of the suite: a log of the engine under test, in its own store.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/log_conformance/engine.h"
#include "tests/store/log_fixture.h"

namespace turnlog {

class EngineFixture {
 protected:
  explicit EngineFixture(const TestedEngine& engine, std::uint64_t seed = 0) : store_(engine.make(seed)) { Open(); }

  void Open(OpenMode mode = OpenMode::kCreate) { log_ = Must(store_->Open(mode)); }
  std::unique_ptr<Log> OpenReader() { return Must(store_->Open(OpenMode::kRead)); }
  void Close() {
    Must(log_->Close());
    log_.reset();
  }
  void Reopen(OpenMode mode = OpenMode::kWrite) {
    Close();
    Open(mode);
  }
  void ReopenAfterKill() {
    store_->Kill(std::move(log_));
    Open(OpenMode::kWrite);
  }
  void ReopenWithoutDerived() {
    Close();
    store_->LoseDerived();
    Open(OpenMode::kWrite);
  }

  Result<AppendResult> Append(std::string_view conversation, const Event& event,
                              const AppendOptions& options = kBuffered) {
    return log_->Append(Id(conversation), event, options);
  }
  Result<AppendResult> Append(std::string_view conversation, const std::vector<Event>& events,
                              const AppendOptions& options = kBuffered) {
    return log_->Append(Id(conversation), events, options);
  }
  Result<AppendResult> AppendLater(std::string_view conversation, const Event& event,
                                   const AppendOptions& options = {}) {
    const EventView view = View(event);
    return log_->AppendLater(Id(conversation), {&view, 1}, options);
  }

  // Lines of a tail: in this order, or only in order per conversation if the engine has no total order.
  void ExpectInOrder(const std::vector<std::string>& lines, const std::vector<std::string>& expected) {
    if (log_->capabilities().total_order) {
      EXPECT_EQ(lines, expected);
      return;
    }
    const auto by_conversation = [](const std::vector<std::string>& all) {
      std::map<std::string, std::vector<std::string>> split;
      for (const std::string& line : all) {
        std::size_t end = line.find(' ');  // of the id, which may contain spaces; then comes the seq
        while (end + 1 < line.size() && (line[end + 1] < '0' || line[end + 1] > '9')) end = line.find(' ', end + 1);
        split[line.substr(0, end)].push_back(line);
      }
      return split;
    };
    EXPECT_EQ(by_conversation(lines), by_conversation(expected));
  }

  static constexpr AppendOptions kBuffered{.durability = Durability::kBuffered, .expected_last = {}};

  std::unique_ptr<EngineStore> store_;
  std::unique_ptr<Log> log_;
};

// A test that runs once for each engine: TEST_P of a derived class, and
// TURNLOG_FOR_ALL_ENGINES(class).
class ConformanceTest : public testing::TestWithParam<TestedEngine>, protected EngineFixture {
 protected:
  ConformanceTest() : EngineFixture(GetParam()) {}
};

#define TURNLOG_FOR_ALL_ENGINES(Suite)                                   \
  INSTANTIATE_TEST_SUITE_P(Engines, Suite, testing::ValuesIn(Engines()), \
                           [](const auto& engine) { return engine.param.name; })

// The source of a handle's answers; they must be the same for all sources.
enum class Answerer {
  kAppended,      // appended since the log was opened
  kCheckpointed,  // the last checkpoint
  kReopened,      // the last checkpoint, read by another handle
  kReplayed,      // replayed after a killed writer
  kDerived,       // rebuilt from the events
  kReader,        // a reader opened before the appends
  kNewReader,     // a reader opened after the last append
};

// A test that runs for each engine and for each source.
class EveryAnswererTest : public testing::TestWithParam<std::tuple<TestedEngine, Answerer>>, protected EngineFixture {
 protected:
  static constexpr std::string_view kConversation = "conversation";

  EveryAnswererTest() : EngineFixture(std::get<TestedEngine>(GetParam())) {
    if (answerer() == Answerer::kReader) reader_ = OpenReader();
  }

  void Append(const std::vector<Event>& events, std::string_view conversation = kConversation) {
    Must(EngineFixture::Append(conversation, events));
  }

  // Moves everything appended so far to its source; later appends follow with the next call.
  void Settle() {
    switch (answerer()) {
      case Answerer::kAppended:
        return;
      case Answerer::kCheckpointed:
        return Must(log_->Checkpoint());
      case Answerer::kReopened:
        return Reopen();
      case Answerer::kReplayed:
        return ReopenAfterKill();
      case Answerer::kDerived:
        return ReopenWithoutDerived();
      case Answerer::kReader:
        return Must(reader_->Refresh());
      case Answerer::kNewReader:
        reader_ = OpenReader();
        return;
    }
  }

  Log& log() { return reader_ != nullptr ? *reader_ : *log_; }

 private:
  static Answerer answerer() { return std::get<Answerer>(GetParam()); }

  std::unique_ptr<Log> reader_;
};

inline std::string NameOfAnswerer(Answerer source) {
  constexpr const char* kNames[] = {"Appended", "Checkpointed", "Reopened", "Replayed",
                                    "Derived",  "Reader",       "NewReader"};
  return kNames[static_cast<std::size_t>(source)];
}

#define TURNLOG_FOR_ALL_SOURCES(Suite)                                                                            \
  INSTANTIATE_TEST_SUITE_P(                                                                                       \
      Engines, Suite,                                                                                             \
      testing::Combine(                                                                                           \
          testing::ValuesIn(Engines()),                                                                           \
          testing::Values(Answerer::kAppended, Answerer::kCheckpointed, Answerer::kReopened, Answerer::kReplayed, \
                          Answerer::kDerived, Answerer::kReader, Answerer::kNewReader)),                          \
      [](const auto& both) { return std::get<0>(both.param).name + NameOfAnswerer(std::get<1>(both.param)); })

}  // namespace turnlog
