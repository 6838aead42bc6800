// Cursors and tails over the calls of a service.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "remote/service_client.h"
#include "turnlog/log.h"

namespace turnlog {

// "/v1/conversations/ID" and what follows.
std::string ConversationPath(const ConversationId& conversation, std::string_view rest = {});

// Errors of the service come with the first call, as with other engines.
Result<std::unique_ptr<Cursor>> OpenRemoteCursor(std::shared_ptr<ServiceClient> client,
                                                 const ConversationId& conversation, const ReadOptions& options);
Result<std::unique_ptr<Tail>> OpenRemoteTail(std::shared_ptr<ServiceClient> client, const Position& from,
                                             const std::optional<ConversationId>& conversation);

Status VisitRemoteStorage(ServiceClient& client, const StorageScan& scan, StorageVisitor& visitor);

}  // namespace turnlog
