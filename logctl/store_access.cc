#include "logctl/store_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <set>

#include "base/try.h"
#include "logctl/text.h"
#include "turnlog/event_json.h"
#include "turnlog/segment_log.h"
#include "turnlog/service/remote_log.h"
#include "turnlog/sql_log.h"

namespace turnlog {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSuggestions = 3;
constexpr std::size_t kCompared = 5000;  // ids compared for a suggestion; more would take noticeable time

std::filesystem::path FolderAround(const std::string& location) {
  std::error_code unknown;
  return std::filesystem::absolute(location, unknown).lexically_normal().parent_path();
}

bool IsFolder(std::string_view location) { return !IsSqlLocation(location) && !IsServiceLocation(location); }

bool IsThere(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

Expected<std::unique_ptr<Log>> Opened(const Context& context, const std::string& location, OpenMode mode,
                                      Result<std::unique_ptr<Log>> log) {
  // What is not there would have been made.
  if (!log && mode == OpenMode::kCreate && IsThere(FolderAround(location)))
    return std::unexpected(Failure(log.error()));
  if (!log) return std::unexpected(StoreFailure(log.error(), location));
  for (const std::string& note : (*log)->OpenNotes()) context.messages.Note(note);
  return *std::move(log);
}

Expected<void> CheckNoPassword(const std::string& location) {
  if (!IsSqlLocation(location) || !HasSqlPassword(location)) return {};
  return WrongUsage("the URL contains a password, which other users of this machine can see",
                    "put it into ~/.pgpass, PGPASSWORD or a service file");
}

Expected<std::unique_ptr<Log>> Open(const Context& context, const OpenOptions& options) {
  return OpenAt(context, TURNLOG_TRY(StoreLocation(context)), options);
}

// Ids that begin with `text`, else ids that differ from it by a few letters.
std::vector<std::string> Suggest(Log& log, const std::string& text) {
  std::vector<std::string> similar;
  const auto following = log.List(text, kSuggestions);
  for (const auto& info : following ? *following : std::vector<ConversationInfo>()) {
    if (info.id.starts_with(text)) similar.push_back(info.id);
  }
  if (!similar.empty()) return similar;
  const std::size_t near = std::min(std::max<std::size_t>(2, text.size() / 4), text.size() - 1);
  const auto all = log.List("", kCompared);
  for (const auto& info : all ? *all : std::vector<ConversationInfo>()) {
    if (similar.size() < kSuggestions && EditDistance(info.id, text) <= near) similar.push_back(info.id);
  }
  return similar;
}

}  // namespace

Expected<std::string> StoreLocation(const Context& context) {
  if (context.globals.store.empty()) return WrongUsage("no store given", "use --store PATH or set TURNLOG_STORE");
  TURNLOG_TRY(CheckNoPassword(context.globals.store));
  return context.globals.store;
}

Expected<std::filesystem::path> StorePath(const Context& context) {
  std::string location = TURNLOG_TRY(StoreLocation(context));
  if (IsFolder(location)) return location;
  if (IsServiceLocation(location)) {
    return Failed("this command works on the files of a store in a folder, and the store is reached through a service",
                  "run it where the service runs, with the store's folder as --store");
  }
  return Failed("this command works on the files of a store in a folder, and the store is in a database",
                "databases have their own servers and backups (pg_basebackup, pg_dump); `logctl store copy` copies the "
                "store into a "
                "folder");
}

Expected<std::unique_ptr<Log>> OpenAt(const Context& context, const std::string& location, OpenOptions options) {
  TURNLOG_TRY(CheckNoPassword(location));
  if (const char* const token = std::getenv("TURNLOG_TOKEN"); token != nullptr) options.token = token;
  return Opened(context, location, options.mode, OpenLog(location, options));
}

Failure StoreFailure(const Error& error, const std::string& location) {
  if (error.code != ErrorCode::kNotFound || !IsFolder(location)) return error;
  const auto parent = FolderAround(location);
  if (!IsThere(parent)) {
    return {kFailed, fmt::format("there is no folder {}", Printable(parent.string())), "check the path, or create it"};
  }
  return {kFailed, fmt::format("there is no store at {}", location),
          "check the path; `logctl import` and `logctl append` create a store"};
}

Expected<std::unique_ptr<Log>> OpenMigrated(const Context& context, const std::string& location,
                                            std::string_view verb) {
  TURNLOG_TRY(CheckNoPassword(location));
  if (IsSqlLocation(location)) {
    const Status migrated = MigrateSqlLog(location);
    if (!migrated && migrated.error().code != ErrorCode::kNotFound) {
      return std::unexpected(StoreFailure(migrated.error(), location));
    }
  }
  return OpenAt(context, location, {.mode = OpenMode::kCreate, .holder = fmt::format("logctl {}", verb)});
}

Expected<std::unique_ptr<Log>> OpenToRead(const Context& context) {
  return Open(context, {.mode = OpenMode::kRead, .holder = {}});
}

Expected<std::unique_ptr<Log>> OpenToWrite(const Context& context, std::string_view verb) {
  return Open(context, {.mode = OpenMode::kCreate, .holder = fmt::format("logctl {}", verb)});
}

Expected<std::unique_ptr<Log>> OpenAlone(const Context& context, std::string_view verb,
                                         std::function<void(const SyncReport&)> on_sync) {
  const auto path = TURNLOG_TRY(StorePath(context));
  return Opened(
      context, path, OpenMode::kCreate,
      OpenSegmentLog(
          path, {.mode = OpenMode::kCreate, .holder = fmt::format("logctl {}", verb), .on_sync = std::move(on_sync)}));
}

Expected<std::unique_ptr<Log>> OpenToChange(const Context& context, std::string_view verb) {
  return Open(context, {.mode = OpenMode::kWrite, .holder = fmt::format("logctl {}", verb)});
}

Expected<ConversationId> ParseConversation(std::string_view text) {
  auto id = ConversationId::Parse(text);
  if (!id) return WrongUsage(fmt::format("\"{}\" is not a conversation id: {}", Prefix(text, 80), id.error().message));
  return *std::move(id);
}

Expected<ConversationInfo> FindConversation(Log& log, const ConversationId& id) {
  auto info = log.Info(id);
  if (info) return *std::move(info);
  if (info.error().code != ErrorCode::kNotFound) return std::unexpected(Failure(info.error()));
  const auto similar = Suggest(log, id.text());
  return Failed(fmt::format("there is no conversation \"{}\"", id.text()),
                similar.empty() ? "`logctl ls` lists all conversations"
                                : fmt::format("did you mean {}?", fmt::join(similar, " or ")));
}

Expected<std::vector<ConversationId>> FindConversations(Log& log, std::span<const std::string> texts) {
  std::vector<ConversationId> ids;
  std::set<std::string_view> known;
  for (const std::string& text : texts) {
    if (known.insert(text).second) ids.push_back(TURNLOG_TRY(ParseConversation(text)));
  }
  for (const ConversationId& id : ids) TURNLOG_TRY(FindConversation(log, id));
  return ids;
}

namespace {

template <class ListFn>
Expected<void> ForEachListed(ListFn list, const OnPage& on_page) {
  for (std::vector<ConversationInfo> page = TURNLOG_TRY(list("")); !page.empty();) {
    // The next page is listed while this one is at work.
    const std::launch when = page.size() < kPage ? std::launch::deferred : std::launch::async | std::launch::deferred;
    auto next = std::async(when, [&list, after = page.back().id] { return list(after); });
    if (!TURNLOG_TRY(on_page(page))) return {};
    page = TURNLOG_TRY(next.get());
  }
  return {};
}

}  // namespace

Expected<void> ForEachPage(Log& log, const OnPage& on_page) {
  return ForEachListed([&](std::string_view after) { return log.List(after, kPage); }, on_page);
}

Expected<void> ForEachChangedPage(Log& log, std::string_view consumer, Changes which, const OnPage& on_page) {
  return ForEachListed([&](std::string_view after) { return log.ListChanged(consumer, after, kPage, which); }, on_page);
}

Expected<std::variant<Event, Damage>> LoadEvent(Log& log, const ConversationId& conversation, Seq seq) {
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, {.from = seq, .limit = 1}));
  const Item item = TURNLOG_TRY(cursor->Next());
  if (const auto* damage = std::get_if<Damage>(&item)) return *damage;
  if (const auto* erased = std::get_if<Erased>(&item)) return ErasedMark(erased->kind);
  if (const auto* record = std::get_if<Record>(&item)) return Own(TURNLOG_TRY(record->Decode()));
  return Failed(fmt::format("conversation \"{}\" has no event {}", conversation.text(), seq.value));
}

}  // namespace turnlog
