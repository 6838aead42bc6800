// Shared by the tests of the log: constructors of events, a log in a temporary folder, a cursor's items as lines.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/must.h"
#include "tests/support/temp_dir.h"
#include "turnlog/segment_log.h"

namespace turnlog {

ConversationId Id(std::string_view text);
InquiryId Opaque(std::string_view text);
InquiryId Keyed(std::string_view tool_call, std::string_view question, std::uint32_t attempt);

Event NewTurn();
Event Say(std::string_view text);
Event Ask(const InquiryId& id);
Event AskSecret(const InquiryId& id);
Event Answer(const InquiryId& id);
Event Cancel(const InquiryId& id);
Event Redacted(const InquiryId& id);
Event Named(std::string_view event_id, Event event);
// Drops the first and the last event of its range.
Event Repaired(std::uint64_t from, std::uint64_t to);

// "turn", a chat text, "ask ID", "answer ID", "cancel ID", "redacted ID"; other kinds by their name.
std::string Brief(const EventView& event);
// "SEQ TURN BRIEF" for a record, "SEQ TURN erased KIND", "damage: ..." for damage, "end".
std::string Line(const Item& item);
// Up to the end, which has no line.
std::vector<std::string> Lines(Cursor& cursor);
std::vector<std::string> Lines(Log& log, std::string_view conversation, const ReadOptions& options = {});
// "CONVERSATION SEQ BRIEF" up to the end.
std::vector<std::string> TailLines(Tail& tail);
// "tN SEQ..SEQ" for each attempt, "-" for a missing event, followed by "pending" if it is.
std::vector<std::string> AttemptLines(Log& log, std::string_view conversation, const InquiryId& id);
// "CONVERSATION tN SEQ", for all conversations if none is named.
std::vector<std::string> PendingLines(Log& log, std::string_view conversation = {});
// "SEQ: FROM..TO" for each `repair` event.
std::vector<std::string> RepairLines(Log& log, std::string_view conversation);
// The seqs of the result; repeated ones are negative.
std::vector<std::int64_t> Seqs(const Result<AppendResult>& result);

// A figure of the engine's statistics; ends the test if there is none.
std::uint64_t Figure(const StoreStats& stats, std::string_view name);
std::uint64_t Figure(Log& log, std::string_view name);

// As OpenSegmentLog, but it appends nothing by itself when it is idle: for tests that count what a log holds.
Result<std::unique_ptr<Log>> OpenQuietLog(const std::filesystem::path& folder, const SegmentOptions& options = {});

// A log with small segments in a temporary folder.
class LogTest : public testing::Test {
 public:
  // What a test program puts between its tests and the log; null: nothing.
  static inline std::unique_ptr<Log> (*between)(std::unique_ptr<Log> log) = nullptr;

 protected:
  LogTest() { Open(); }

  std::filesystem::path path() const { return folder_ / "store"; }
  SegmentOptions Options(OpenMode mode = OpenMode::kCreate) const {
    return {.mode = mode, .holder = "test", .segment_bytes = 16 << 10, .checkpoint_bytes = 1 << 20};
  }
  void Open(OpenMode mode = OpenMode::kCreate) {
    log_ = Must(OpenQuietLog(path(), Options(mode)));
    if (between != nullptr) log_ = between(std::move(log_));
  }
  void Close() {
    Must(log_->Close());
    log_.reset();
  }
  void Reopen(OpenMode mode = OpenMode::kWrite) {
    Close();
    Open(mode);
  }
  // Opens the store in its state after a crash: everything written, without a new checkpoint.
  void ReopenAfterCrash();

  Result<AppendResult> Append(std::string_view conversation, const Event& event,
                              const AppendOptions& options = kBuffered) {
    return log_->Append(Id(conversation), event, options);
  }
  Result<AppendResult> Append(std::string_view conversation, const std::vector<Event>& events,
                              const AppendOptions& options = kBuffered) {
    return log_->Append(Id(conversation), events, options);
  }

  static constexpr AppendOptions kBuffered{.durability = Durability::kBuffered, .expected_last = {}};

  TempDir folder_;
  std::unique_ptr<Log> log_;

 private:
  TempDir crashed_;
  int crashes_ = 0;
};

}  // namespace turnlog
