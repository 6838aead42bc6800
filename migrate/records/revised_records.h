// The records of a conversation that have revisions, and its rows (record_revision.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "turnlog/log.h"

namespace turnlog {

class RevisedRecords {
 public:
  // `count`: of the revisions and rows that the last import record names. If there are none nothing is read, otherwise
  // all of the conversation. `log` must outlive it. Memory: 60 bytes for each record with revisions, and for each row
  // 100 bytes more than its name.
  static Result<RevisedRecords> Find(Log& log, const ConversationId& conversation, std::uint64_t count);

  // Whether the record that begins with this event has one.
  bool Has(Seq first) const { return last_.contains(first.value); }
  // Whether one of its revisions was redacted: what the source says of the record may not be stored.
  bool IsRedacted(Seq first) const { return Has(first) && last_.at(first.value).redacted; }
  // Appends the bytes of the last one.
  Status Add(Seq first, std::string& out) const;
  // The same, or if the record has none, its own.
  Status Read(Seq first, std::string& out) const;

  struct Last {
    Seq seq;
    bool redacted = false;  // it, or one before it
    std::uint64_t hash = 0;
  };
  // Of the bytes of the last one, WithoutSeparators; 0: there is none, or one was redacted.
  std::uint64_t HashOf(Seq first) const;
  static std::uint64_t HashOfRow(const EventView& row);
  // Null: there is no row of this name.
  const Last* FindRow(const std::string& name) const;
  // Appends the bytes of each row, in the order of their names. `sink` may take them away.
  Status AddRows(std::string& out, const std::function<Status()>& sink) const;

 private:
  Status AddAt(Seq seq, std::string& out) const;
  RevisedRecords(Log& log, ConversationId conversation) : log_(&log), conversation_(std::move(conversation)) {}

  Log* log_;
  ConversationId conversation_;
  std::map<std::uint64_t, Last> last_;
  std::map<std::string, Last> rows_;
};

}  // namespace turnlog
