#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>

#include "base/file_system.h"
#include "base/hash.h"
#include "base/try.h"
#include "migrate/jp_history.h"
#include "migrate/jp_imports.h"
#include "migrate/jp_time.h"
#include "migrate/stored_events.h"
#include "turnlog/export.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> Failed(std::string_view what, const fs::path& path, const std::error_code& error) {
  return std::unexpected(Error{ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, path.string(), error.message())});
}

// A file that is written from its beginning to its end.
class Output {
 public:
  static Result<Output> Create(const fs::path& path) {
    return Output(TURNLOG_TRY(PosixFileSystem().Open(path, FileSystem::Access::kCreateNew)));
  }

  std::string& buffer() { return buffer_; }

  Status FlushIfFull() { return buffer_.size() < kFull ? Status() : Flush(); }

  Status Finish() {
    TURNLOG_TRY(Flush());
    return file_->Sync();
  }

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 20;

  explicit Output(std::unique_ptr<File> file) : file_(std::move(file)) {}

  Status Flush() {
    TURNLOG_TRY(file_->WriteAt(written_, buffer_));
    written_ += buffer_.size();
    buffer_.clear();
    return {};
  }

  std::unique_ptr<File> file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

// A folder under a name that no reader looks at; gone with all that is in it unless it gets its own.
class NewFolder {
 public:
  static Result<NewFolder> Create(const fs::path& parent, std::string_view name) {
    const fs::path path = parent / fmt::format(".{}.turnlog-export", name);
    std::error_code error;
    fs::remove_all(path, error);  // of an export that was killed
    if (error || !fs::create_directories(path, error)) return Failed("create folder", path, error);
    return NewFolder(path);
  }

  NewFolder(NewFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

  // Refuses to take the place of anything but an empty folder.
  Status Rename(const fs::path& to) {
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    if (!error) fs::rename(path_, to, error);
    if (error) return Failed("write folder", to, error);
    path_.clear();
    return PosixFileSystem().SyncDirectory(to.parent_path());
  }

 private:
  explicit NewFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// A file name for any conversation id: what is not a letter, digit, '-', '_' or '.' (in front) is escaped as %XX; a
// long one is cut, and told from others by its hash.
std::string FolderName(std::string_view conversation) {
  constexpr std::size_t kMaxName = 200;
  std::string name;
  for (const char c : conversation) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  if (name.size() > kMaxName) {
    name = fmt::format("{}-{:016x}", name.substr(0, kMaxName - 17), HashId(conversation, 0).low);
  }
  return name;
}

// What jp needs to have of a conversation that did not come from it.
JpRecord MakeRecord(const ConversationId& conversation, const ConversationInfo& info) {
  JpRecord record;
  record.directory = FolderName(conversation.text());
  record.files["base_config.json"] = "{}\n";
  record.files["metadata.json"] =
      fmt::format("{{\n  \"last_activated_at\": \"{}\"\n}}\n", FormatJpTime(info.last_time.value_or(Timestamp{})));
  return record;
}

Status WriteNewFile(const fs::path& path, std::string_view bytes) {
  Output output = TURNLOG_TRY(Output::Create(path));
  output.buffer() = bytes;
  return output.Finish();
}

Status WriteEvents(Log& log, const ConversationId& conversation, const JpRecord& record, const ExportOptions& options,
                   Output& output) {
  JpHistoryWriter text(output.buffer());
  if (record.packed_config) text.AddConfig(*record.packed_config);
  JpImports imports;
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation, options));
  while (const auto event = TURNLOG_TRY(stored.Next())) {
    const JpPart part = imports.Next(*event);
    const EventKind kind = event->event.kind();
    if (part == JpPart::kRecord || event->erased) continue;
    if (part == JpPart::kOwn && (kind == EventKind::kRepair || kind == EventKind::kRedaction)) continue;
    text.Add(event->event);
    TURNLOG_TRY(output.FlushIfFull());
  }
  text.Finish(record.trailer);
  return output.Finish();
}

Status ExportConversation(Log& log, const ConversationId& conversation, const fs::path& to,
                          const ExportOptions& options) {
  const ConversationInfo info = TURNLOG_TRY(log.Info(conversation));
  const auto imported = TURNLOG_TRY(FindLastJpRecord(log, conversation, info.last));
  const JpRecord record = imported ? *imported : MakeRecord(conversation, info);
  NewFolder folder = TURNLOG_TRY(NewFolder::Create(to, FolderName(conversation.text())));
  Output events = TURNLOG_TRY(Output::Create(folder.path() / "events.json"));
  TURNLOG_TRY(WriteEvents(log, conversation, record, options, events));
  for (const auto& [name, bytes] : record.files) TURNLOG_TRY(WriteNewFile(folder.path() / name, bytes));
  TURNLOG_TRY(PosixFileSystem().SyncDirectory(folder.path()));
  return folder.Rename((record.archived ? to / ".archive" : to) / record.directory);
}

}  // namespace

Status ExportJp(Log& log, std::span<const ConversationId> conversations, const fs::path& to,
                const ExportOptions& options) {
  std::error_code error;
  fs::create_directories(to, error);
  if (error) return Failed("create folder", to, error);
  for (const ConversationId& conversation : conversations) {
    TURNLOG_TRY(ExportConversation(log, conversation, to, options));
  }
  return {};
}

}  // namespace turnlog
