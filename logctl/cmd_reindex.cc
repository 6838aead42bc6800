#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "turnlog/maintenance.h"
#include "turnlog/service/remote_log.h"
#include "turnlog/service/remote_maintenance.h"

namespace turnlog {
namespace {

// In this process, or in the service that has the store open.
Status ReindexFolder(const std::filesystem::path& path, const Progress& progress) {
  const Status alone = ReindexStore(path, progress);
  if (alone || alone.error().code != ErrorCode::kBusy) return alone;
  const auto remote = OpenRemoteLog("unix:" + ServiceSocket(path).string());
  return remote ? ReindexThroughService(**remote, progress) : alone;
}

Expected<void> Reindex(Context& context) {
  const std::string location = TURNLOG_TRY(StoreLocation(context));
  const Progress progress = ShowProgress(context, "indexing");
  if (IsServiceLocation(location)) {
    const auto log = TURNLOG_TRY(OpenToChange(context, "reindex"));
    TURNLOG_TRY(ReindexThroughService(*log, progress));
    return {};
  }
  const auto path = TURNLOG_TRY(StorePath(context));
  const Status status = ReindexFolder(path, progress);
  if (!status) return std::unexpected(StoreFailure(status.error(), location));
  return {};
}

CommandResult RunReindex(Context& context) {
  const auto reindexed = Reindex(context);
  context.messages.EndProgress();
  TURNLOG_TRY(reindexed);
  if (context.globals.json) {
    JsonDocument(context.out).Field("reindexed", true);
  } else {
    context.messages.Note("the index was rebuilt from the log");
  }
  return kFine;
}

}  // namespace

Action DefineReindex(CLI::App&) { return RunReindex; }

}  // namespace turnlog
