// Which conversations a consumer has to look at: those without its watermark, or with events after it.
//
// turnlog_changed lists them for each consumer that has asked before; it may hold others, too, which are left out when
// it is read. Appends do not know of it: turnlog_consumer says how far the feed of each lane has been entered there,
// and the rest is entered when the consumer asks again. So the cost follows what was appended since, and what is
// returned.
#pragma once

#include <cstdint>
#include <string_view>

#include "store/sql/connection_pool.h"
#include "store/sql/conversation_head.h"
#include "turnlog/log.h"

namespace turnlog {

// Enters what was appended since the last call. kReadOnly: the role may not.
Status EnterChanged(ConnectionPool& pool, std::string_view consumer);
// A page of what EnterChanged has entered; the columns are HeadColumns.
SqlResult<SqlRows> ChangedPage(Connection& connection, std::string_view consumer, std::string_view after,
                               std::uint64_t limit, Changes which);
// The same without EnterChanged, for those who may not write. Cost: as List.
SqlResult<SqlRows> ComparedPage(Connection& connection, std::string_view consumer, std::string_view after,
                                std::uint64_t limit, Changes which);

// Sets the watermark, and enters or removes the conversation.
Status StoreWatermark(ConnectionPool& pool, const ConversationKey& key, std::string_view consumer,
                      const Watermark& watermark);

}  // namespace turnlog
