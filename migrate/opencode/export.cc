#include "migrate/opencode/export.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/export/new_folder.h"
#include "migrate/opencode/converter.h"
#include "migrate/opencode/storage.h"
#include "migrate/records/export_records.h"
#include "migrate/sessions/export_session.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// Whether the file is JSON, and not what was there while opencode wrote it.
bool IsWhole(const fs::path& path) {
  const auto text = ReadFile(PosixFileSystem(), path);
  return text && !FindJsonFault(*text);
}

// Writes what it is given to the files whose names it contains. Of a file that was damaged when it was imported, or is
// now, the log has more than one: the last that is whole.
class FileSplitter {
 public:
  // `name`: of the file, if there are no names.
  FileSplitter(fs::path folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}

  Status Add(std::string_view piece) {
    while (!piece.empty()) {
      if (in_name_) {
        const std::size_t end = std::min(piece.find('\n'), piece.size());
        name_ += piece.substr(0, end);
        in_name_ = end == piece.size();
        piece.remove_prefix(std::min(end + 1, piece.size()));
        if (!in_name_) TURNLOG_TRY(Open());
        continue;
      }
      const std::size_t mark = std::min(piece.find(kFileMark), piece.size());
      if (mark > 0) TURNLOG_TRY(Write(piece.substr(0, mark)));
      if (mark < piece.size()) TURNLOG_TRY(BeginName());
      piece.remove_prefix(std::min(mark + 1, piece.size()));
    }
    return {};
  }

  Status Finish() {
    if (!file_) return {};
    TURNLOG_TRY(std::exchange(file_, std::nullopt)->Finish());
    const fs::path earlier = std::exchange(earlier_, {});
    if (earlier.empty()) return {};
    const fs::path later = folder_ / kLater;
    std::error_code error;
    IsWhole(later) || !IsWhole(earlier) ? fs::rename(later, earlier, error) : void(fs::remove(later, error));
    if (!error) return {};
    return std::unexpected(Error{ErrorCode::kIo, "cannot write " + earlier.string() + ": " + error.message()});
  }

 private:
  static constexpr const char* kLater = ".later";  // no name of opencode's

  Status BeginName() {
    in_name_ = true;
    name_.clear();
    return Finish();
  }

  // Names are relative to session/<project>.
  Status Open() {
    const fs::path path = (fs::path("session/project") / name_).lexically_normal();
    if (!IsSafePath(path) || path.extension() != ".json") {
      return std::unexpected(Error{ErrorCode::kInvalidArgument, "the name of a file cannot be used"});
    }
    TURNLOG_TRY(MakePrivateFolders((folder_ / path).parent_path()));
    std::error_code error;
    if (fs::exists(folder_ / path, error)) earlier_ = folder_ / path;
    file_.emplace(TURNLOG_TRY(OutputFile::Create(folder_ / (earlier_.empty() ? path : fs::path(kLater)))));
    return {};
  }

  Status Write(std::string_view bytes) {
    if (!file_) file_.emplace(TURNLOG_TRY(OutputFile::Create(folder_ / name_)));
    file_->buffer() += bytes;
    return file_->FlushIfFull();
  }

  const fs::path folder_;
  std::string name_;
  bool in_name_ = false;
  fs::path earlier_;  // of the same name, if there is one
  std::optional<OutputFile> file_;
};

}  // namespace

Status ExportOpencodeDocument(Log& log, const ConversationId& conversation, const ExportSink& sink,
                              const ExportOptions& options, ExportReport& report) {
  if (options.raw) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "opencode --raw may write several files: name a folder"});
  }
  return MakeSession(log, SessionTool::kOpencodeCli, conversation, sink, options, report);
}

Status ExportOpencode(Log& log, const ConversationId& conversation, const fs::path& to, const ExportOptions& options,
                      ExportReport& report) {
  const std::string name = FolderName(conversation.text());
  if (!options.raw && !TURNLOG_TRY(IsAsImported(log, kOpencode, conversation))) {
    NewFile file = TURNLOG_TRY(NewFile::Create(to / (name + ".json")));
    const auto sink = [&](std::string_view piece) {
      file.output().buffer() += piece;
      return file.output().FlushIfFull();
    };
    TURNLOG_TRY(ExportOpencodeDocument(log, conversation, sink, options, report));
    return file.Finish();
  }
  NewFolder folder = TURNLOG_TRY(NewFolder::Create(to, name));
  FileSplitter files(folder.path(), name + ".json");
  const auto sink = [&](std::string_view piece) { return files.Add(piece); };
  ExportOptions as_imported = options;
  as_imported.raw = true;
  TURNLOG_TRY(ExportRecords(log, kOpencode, conversation, sink, as_imported, report));
  TURNLOG_TRY(files.Finish());
  return folder.Rename(to / name);
}

}  // namespace turnlog
