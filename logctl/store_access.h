// From what was typed to an open log, with errors that say what to do.
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

namespace turnlog {

// The folder that --store or TURNLOG_STORE names.
Expected<std::filesystem::path> StorePath(const Context& context);
// What to tell when the store at `path` could not be opened.
Failure StoreFailure(const Error& error, const std::filesystem::path& path);
// Works beside a writer; fails if there is no store.
Expected<std::unique_ptr<Log>> OpenToRead(const Context& context);
// Made if it is not there. `verb` is what another writer will be told about us.
Expected<std::unique_ptr<Log>> OpenToWrite(const Context& context, std::string_view verb);

// Likewise, but the store must be there.
Expected<std::unique_ptr<Log>> OpenToChange(const Context& context, std::string_view verb);

// Wrong usage if the text cannot be an id.
Expected<ConversationId> ParseConversation(std::string_view text);
// Also looks it up; if it is not there, the failure suggests what may have been meant.
Expected<ConversationInfo> FindConversation(Log& log, const ConversationId& id);
// The same for many, before anything is done with the first.
Expected<std::vector<ConversationId>> FindConversations(Log& log, std::span<const std::string> texts);

// All conversations in order of their ids, a page at a time; stops when `on_page` fails or returns false.
using OnPage = std::function<Expected<bool>(const std::vector<ConversationInfo>& page)>;
Expected<void> ForEachPage(Log& log, const OnPage& on_page);
// Those that have grown since the consumer's watermark, or have none.
Expected<void> ForEachChangedPage(Log& log, std::string_view consumer, const OnPage& on_page);

// One event, or what stands in its place; of an erased one its mark.
Expected<std::variant<Event, Damage>> LoadEvent(Log& log, const ConversationId& conversation, Seq seq);

}  // namespace turnlog
