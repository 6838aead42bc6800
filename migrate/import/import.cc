#include "turnlog/migrate/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "base/try.h"
#include "migrate/format.h"
#include "migrate/import/import_workers.h"
#include "migrate/import/secret_search.h"
#include "migrate/logged/source_history.h"
#include "migrate/sources/find_sources.h"

namespace turnlog {
namespace {

constexpr std::string_view kAuto = "auto";

}  // namespace

ImportReport& ImportReport::operator+=(ImportReport&& more) {
  added += more.added;
  extended += more.extended;
  unchanged += more.unchanged;
  failed += more.failed;
  events += more.events;
  bytes_read += more.bytes_read;
  bytes_parsed += more.bytes_parsed;
  std::ranges::move(more.problems, std::back_inserter(problems));
  std::ranges::move(more.notes, std::back_inserter(notes));
  std::ranges::move(more.bytes, std::back_inserter(bytes));
  for (const auto& [rule, count] : more.secrets) secrets[rule] += count;
  return *this;
}

Result<const Format*> FindImportFormat(std::string_view name) {
  if (name == kAuto) return nullptr;
  const Format* const format = FindFormat(name);
  if (format != nullptr && format->import.read != nullptr) return format;
  return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{}: not an import format", name)});
}

Result<ImportReport> Import(Log& log, std::string_view format, std::span<const std::filesystem::path> paths,
                            const ImportOptions& options) {
  const Format* const known = TURNLOG_TRY(FindImportFormat(format));
  const auto find_known = [&log](const std::filesystem::path& path) { return FindKnownFormat(log, path); };
  FoundSources found = FindSources(paths, known, {.find_known = find_known});
  const unsigned threads = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  const auto secrets = TURNLOG_TRY(SecretSearch::Make(options.detect));
  TURNLOG_TRY(ImportSources(log, found.sources, threads, secrets.get(), options.progress, found.report));
  return std::move(found.report);
}

}  // namespace turnlog
