// What an append must know of a conversation: its row in turnlog_head, as of its last append.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "log/prepared_events.h"
#include "schema/event/open_inquiries.h"
#include "store/sql/connection.h"
#include "store/sql/schema.h"
#include "turnlog/log.h"

namespace turnlog {

// Begins the key of every row of a conversation.
struct ConversationKey {
  std::uint32_t lane = 0;
  Hash128 conv;
  auto operator<=>(const ConversationKey&) const = default;

  static ConversationKey Of(const SqlStoreIdentity& store, std::string_view name);
  SqlParams Params() const;  // $1 and $2
};

struct ConversationHead {
  ConversationKey key;
  std::string name;
  std::uint64_t last_seq = 0, turns = 0, bytes = 0, repairs = 0;
  std::optional<Timestamp> first_time, last_time;
  std::uint64_t tag = 0;  // of the last append: two histories that end at the same seq differ in it
  OpenInquiries open;     // ids are OpenInquiryKey

  bool exists() const { return last_seq > 0; }
  ConversationInfo Info() const;
};

// "COLUMN, ..." of turnlog_head, for HeadIn; `table` is its alias in the query.
std::string HeadColumns(std::string_view table);
// The head in a row whose first columns are HeadColumns.
Result<ConversationHead> HeadIn(const SqlRows& rows, std::size_t row);

// Finds the head of one conversation by its key.
SqlCall FindHead(const ConversationKey& key);
// The answer to FindHead; one that does not exist if there is no row. kCorruption: the row is of another conversation.
Result<ConversationHead> HeadFound(const SqlRows& rows, const ConversationKey& key, std::string_view name);

std::string EncodeOpen(const OpenInquiries& open);

}  // namespace turnlog
