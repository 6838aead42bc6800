// The events that an earlier import of a file of lines has brought into the log.
#pragma once

#include <string>
#include <string_view>

#include "base/hash_map.h"
#include "migrate/logged/earlier_lines.h"
#include "migrate/logged/lines_state.h"
#include "turnlog/log.h"

namespace turnlog {

class LoggedLines final : public EarlierLines {
 public:
  LoggedLines(Log& log, const LinesHeads& heads) : log_(log), heads_(heads) {}

  std::optional<Seq> NextSeq(std::string_view conversation) override;
  bool IsIndependent(std::string_view conversation, const EventView& event) override;
  // All further lines have been read once: what is appended of them from now on does not count.
  void MarkRead() { read_ = true; }
  // Of the conversations that were asked for, how many the file had before.
  std::size_t grown() const { return grown_; }
  // An error of the log in one of the two above.
  const Status& status() const { return status_; }

 private:
  Result<std::optional<Seq>> FindNext(const ConversationId& id, Seq head);
  Result<bool> HasSecretQuestion(const ConversationId& id, const InquiryIdView& inquiry);

  Log& log_;
  const LinesHeads& heads_;
  HashMap<Seq> next_;
  std::size_t grown_ = 0;
  bool read_ = false;
  Status status_;
};

}  // namespace turnlog
