#include "migrate/jsonl/format.h"

#include "migrate/import/source.h"
#include "migrate/jsonl/export.h"
#include "migrate/jsonl/reader.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

Match MatchFile(const FileProbe& probe) {
  const Match by_name = probe.name.ends_with(".jsonl") ? Match::kByName : Match::kNo;
  const std::size_t end = probe.head.find('\n');
  if (probe.head.empty() || (end == std::string_view::npos && probe.head.size() == kProbeBytes)) return by_name;
  const std::string_view line = probe.head.substr(0, end);
  const auto event = ParseEvent(line);
  if (!event || event->kind() == EventKind::kUnknown) return by_name;
  // Any object can be a verbatim event, e.g. {"type":"compaction"}: other programs have such files, too.
  const bool checked = !std::holds_alternative<Verbatim>(event->body);
  return checked || by_name == Match::kByName ? Match::kByContent : Match::kNo;
}

std::unique_ptr<SourceReader> Read(Source& source) { return std::make_unique<JsonlReader>(source.files.front()); }

std::unique_ptr<SourceReader> ReadWithThreads(Source& source, unsigned threads) {
  return std::make_unique<JsonlReader>(source.files.front(), LinesStart(), threads);
}

std::unique_ptr<SourceReader> ReadOn(Source& source, const LinesStart& start) {
  return std::make_unique<JsonlReader>(source.files.front(), start);
}

}  // namespace

constinit const Format kJsonlFormat{
    .name = "jsonl",
    .description = "JSON lines, turnlog's own form: one event per line, of any number of conversations",
    .import = {.match_file = MatchFile,
               .read = Read,
               .read_with_threads = ReadWithThreads,
               .read_on = ReadOn,
               .records = false},
    .export_to_stream = ExportJsonl,
};

}  // namespace turnlog
