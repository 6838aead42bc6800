// Opens the store and finds conversations, with errors that say what to do.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "logctl/command.h"
#include "turnlog/open_log.h"
#include "turnlog/segment_log.h"

namespace turnlog {

// What --store or TURNLOG_STORE names.
Expected<std::string> StoreLocation(const Context& context);
// The same for commands that work on files: fails if it is a database or a service.
Expected<std::filesystem::path> StorePath(const Context& context);
// Opens the log at a location that is given on the command line. A folder whose writer is a service is written through
// the service.
Expected<std::unique_ptr<Log>> OpenAt(const Context& context, const std::string& location, OpenOptions options);
// Creates a missing store, and migrates one in a database whose schema is of an earlier version.
Expected<std::unique_ptr<Log>> OpenMigrated(const Context& context, const std::string& location, std::string_view verb);
// The failure to report when the store at `location` could not be opened.
Failure StoreFailure(const Error& error, const std::string& location);
// Works beside a writer. Fails if there is no store.
Expected<std::unique_ptr<Log>> OpenToRead(const Context& context);
// Creates a missing store. `verb` names this process to other writers.
Expected<std::unique_ptr<Log>> OpenToWrite(const Context& context, std::string_view verb);

// Creates a missing store, and is its only writer: fails if a service is.
Expected<std::unique_ptr<Log>> OpenAlone(const Context& context, std::string_view verb,
                                         std::function<void(const SyncReport&)> on_sync = {});
// Fails if there is no store.
Expected<std::unique_ptr<Log>> OpenToChange(const Context& context, std::string_view verb);

// Wrong usage if the text cannot be an id.
Expected<ConversationId> ParseConversation(std::string_view text);
// If there is none, the failure suggests similar ids.
Expected<ConversationInfo> FindConversation(Log& log, const ConversationId& id);
// Each once. Fails if any of them is missing.
Expected<std::vector<ConversationId>> FindConversations(Log& log, std::span<const std::string> texts);

// All conversations in order of their ids, page by page; stops when `on_page` fails or returns false.
using OnPage = std::function<Expected<bool>(const std::vector<ConversationInfo>& page)>;
Expected<void> ForEachPage(Log& log, const OnPage& on_page);
// Those that have grown since the consumer's watermark, or have none.
Expected<void> ForEachChangedPage(Log& log, std::string_view consumer, Changes which, const OnPage& on_page);

// One event, or its damage; for an erased event its mark.
Expected<std::variant<Event, Damage>> LoadEvent(Log& log, const ConversationId& conversation, Seq seq);

}  // namespace turnlog
