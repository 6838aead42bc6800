#include "turnlog/migrate/import.h"

#include <fmt/format.h>

#include "base/try.h"
#include "migrate/format.h"
#include "migrate/import/find_sources.h"
#include "migrate/import/import_run.h"
#include "migrate/import/source_history.h"
#include "migrate/import/source_import.h"

namespace turnlog {
namespace {

constexpr std::string_view kAuto = "auto";

Status ImportFound(ImportRun& run, const FoundSource& found) {
  auto source = LoadSource(found, run.report().notes);
  if (!source) {
    run.Fail({found.path.string(), {}, {}, {}, source.error().message});
    return {};
  }
  return SourceImport(run, *found.format, *source).Import();
}

}  // namespace

Result<const Format*> FindImportFormat(std::string_view name) {
  if (name == kAuto) return nullptr;
  const Format* const format = FindFormat(name);
  if (format != nullptr && format->import.read != nullptr) return format;
  return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{}: not an import format", name)});
}

Result<ImportReport> Import(Log& log, std::string_view format, std::span<const std::filesystem::path> paths,
                            const ImportOptions& options) {
  const Format* const known = TURNLOG_TRY(FindImportFormat(format));
  ImportRun run(log);
  const auto is_known = [&log](const FoundSource& source) { return WasImported(log, source); };
  FoundSources found = FindSources(paths, known, is_known);
  run.report().problems = std::move(found.problems);
  run.report().notes = std::move(found.notes);
  run.report().failed = found.failed;
  run.report().bytes_read = found.bytes_read;
  for (std::size_t i = 0; i < found.sources.size(); ++i) {
    TURNLOG_TRY(ImportFound(run, found.sources[i]));
    found.sources[i].file.reset();
    if (options.progress) options.progress(i + 1, found.sources.size());
  }
  return run.Finish();
}

}  // namespace turnlog
