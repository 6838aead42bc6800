#include "migrate/jsonl/format.h"

#include "migrate/jsonl/export.h"
#include "migrate/jsonl/reader.h"
#include "migrate/records/json_array.h"
#include "migrate/records/json_object.h"
#include "migrate/records/torn_document.h"
#include "migrate/sources/source.h"
#include "schema/json/json_scan.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

// As logctl writes lines: the kind of such an event may be any, and it may be longer than what was read of it.
bool IsNumberedEvent(std::string_view line) {
  std::string text(line);
  if (const auto cut = CloseDocument(line)) text.replace(cut->end, std::string::npos, cut->closing);
  const auto object = JsonObject::Parse(text);
  if (!object || !IsJsonString((*object)["type"]) || !IsJsonString((*object)["conversation"])) return false;
  const std::string_view seq = (*object)["seq"];
  return !seq.empty() && seq.find_first_not_of("0123456789") == std::string_view::npos;
}

// The first line that is not blank, or what is there of it.
std::string_view FirstLine(std::string_view head) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  head.remove_prefix(SkipJsonSpace(head, 0));
  return head.substr(0, head.find('\n'));
}

Match MatchFile(const FileProbe& probe) {
  const Match by_name = probe.name.ends_with(".jsonl") ? Match::kByName : Match::kNo;
  const std::string_view line = FirstLine(probe.head);
  if (IsNumberedEvent(line)) return Match::kByContent;
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
    .import = {.revision = 2,
               .match_file = MatchFile,
               .read = Read,
               .read_with_threads = ReadWithThreads,
               .read_on = ReadOn,
               .records = false},
    .export_to_stream = ExportJsonl,
};

}  // namespace turnlog
